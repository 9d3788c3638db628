import { typedCommand } from '@inquest/contracts/typed-command';
import type { Backends } from './backends';
import type { StackConfig } from './config';
import { freePort } from './free-port';
import { untilGuarded } from './gateway-entry';
import { cutOverOnce } from './provision-log';
import { ANALYST, SERVICES, serviceEnv, type ProgramName, type Surroundings } from './service-env';
import { serviceProcess } from './service-process';
import type { ProcessNote, SupervisedProcess } from './supervised-process';

/** Which services run, how often, and with what beside the usual. */
export type ServiceChoice = {
  /** Default: all services, and the offline analyst where no model is configured. */
  services?: readonly ProgramName[];
  /** More than one process of a service, e.g. `{'evidence-guard': 2}`. */
  instances?: Partial<Record<ProgramName, number>>;
  /** Added to what a service is given anyway. */
  env?: Partial<Record<ProgramName, Record<string, string>>>;
  /** How soon a dead worker's message is delivered again; shorter in tests only. Default: the log's. */
  ackWaitMs?: number;
};

const programsOf = (options: ServiceChoice, config: StackConfig): ProgramName[] =>
  options.services ? [...options.services] : [...SERVICES, ...(config.model ? [] : ([ANALYST] as const))];

/** The gateway has a health page of its own; the analyst says by itself that it serves. */
const health = async (
  program: ProgramName,
  gatewayPort: number,
): Promise<{ env: Record<string, string>; readyUrl?: string }> => {
  if (program === ANALYST) return { env: {} };
  if (program === 'chat-gateway') return { env: {}, readyUrl: `http://127.0.0.1:${gatewayPort}/healthz` };
  const port = await freePort();
  return { env: { HEALTH_PORT: String(port) }, readyUrl: `http://127.0.0.1:${port}/healthz` };
};

const ackWaitEnv = ({ ackWaitMs }: ServiceChoice): Record<string, string> =>
  ackWaitMs === undefined ? {} : { ACK_WAIT_MS: String(ackWaitMs) };

/** The processes that `options` asks for; none is started yet. */
export const serviceProcesses = (options: ServiceChoice, around: Surroundings, note: ProcessNote) =>
  Promise.all(
    programsOf(options, around.config).flatMap((program) => {
      const count = options.instances?.[program] ?? 1;
      return Array.from({ length: count }, async (_, i) => {
        const { env, readyUrl } = await health(program, around.gatewayPort);
        return serviceProcess({
          program,
          processName: count === 1 ? program : `${program}-${i + 1}`,
          env: { ...serviceEnv(program, around), ...ackWaitEnv(options), ...env, ...options.env?.[program] },
          readyUrl,
          dataDir: around.config.dataDir,
          note,
        });
      });
    }),
  );

const GATE_WAIT_MS = 10_000;

/** Cuts over where nobody has decided yet, and waits until the gateway takes runs: the guards prove themselves first. */
export const openForRuns = async (
  services: readonly SupervisedProcess[],
  around: Surroundings & Pick<Backends, 'natsUrlFor'>,
  token: string,
  note: ProcessNote,
): Promise<void> => {
  const runs = (program: ProgramName) => services.some(({ name }) => name.startsWith(program));
  if (!runs('evidence-guard')) return;
  const open = await cutOverOnce(around.natsUrlFor('operator'));
  if (!open) note(`the entry is rolled back to the old path: ${typedCommand('cutover --help')}`);
  if (!open || !runs('chat-gateway') || !runs('semantic-guard')) return;
  const refusal = await untilGuarded(`http://127.0.0.1:${around.gatewayPort}`, token, GATE_WAIT_MS);
  if (refusal !== undefined) note(`the gateway takes no runs yet: ${refusal}`);
};

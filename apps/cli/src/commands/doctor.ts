import { stackConfig, type StackConfig } from '@inquest/local-stack/config';
import { readSystem, type SystemView } from '@inquest/local-stack/gateway-entry';
import { memoryOfProcesses, type StackMemory } from '@inquest/local-stack/memory';
import { findNatsServer } from '@inquest/local-stack/nats-binary';
import { natsReport, type NatsReport } from '@inquest/local-stack/nats-report';
import { leftOvers } from '@inquest/local-stack/pid-files';
import { postgresBinaries, postgresUser } from '@inquest/local-stack/postgres-binaries';
import { SERVICES } from '@inquest/local-stack/service-env';
import { runningStack, type StackState } from '@inquest/local-stack/stack-state';
import { join } from 'node:path';
import type { Call, Command } from '../command';
import { configuredEnvironments } from '../configured-environments';
import { ExitCode } from '../exit-code';
import { drawChecks, drawMemory, drawNats, type Check } from '../render/doctor';

/** Runs a probe; a failure is a finding, with its own first line. */
const check = async (name: string, probe: () => string | Promise<string>): Promise<Check> => {
  try {
    return { name, state: 'good', text: await probe() };
  } catch (error) {
    return { name, state: 'bad', text: (error as Error).message.split('\n')[0] ?? '' };
  }
};

const prerequisites = (config: StackConfig, running: StackState | undefined): Promise<Check[]> =>
  Promise.all([
    check('Node', () => process.versions.node),
    check('nats-server', () =>
      config.natsUrl === undefined
        ? findNatsServer({ configured: config.natsServerBin, path: config.path, install: false })
        : 'a running one, by NATS_URL',
    ),
    check('Postgres', () =>
      config.databaseUrl === undefined ? postgresBinaries(postgresUser()) : 'a running one, by DATABASE_URL',
    ),
    check('model', () =>
      running
        ? `${running.author} writes the reports of the running stack`
        : config.model
          ? `${config.model.agent} at ${config.model.baseUrl}`
          : 'none: the offline analyst answers by rules',
    ),
  ]);

/** The gateway's own word on every service and on the entry. */
const systemChecks = async (running: StackState): Promise<Check[]> => {
  let seen: SystemView;
  try {
    seen = await readSystem(running.gatewayUrl, running.token);
  } catch (error) {
    return [{ name: 'gateway', state: 'bad', text: (error as Error).message }];
  }
  const { services, entry } = seen;
  const instances = SERVICES.map((name) => ({
    name,
    count: services.filter(({ service }) => service === name).length,
  }));
  const absent = instances.filter(({ count }) => count === 0).map(({ name }) => name);
  const judge = services.find(({ service }) => service === 'semantic-guard')?.judge;
  return [
    { name: 'gateway', state: 'good', text: running.gatewayUrl },
    absent.length === 0
      ? { name: 'services', state: 'good', text: `all ${SERVICES.length} are announced` }
      : { name: 'services', state: 'bad', text: `not announced: ${absent.join(', ')}` },
    judge?.healthy
      ? { name: 'judge', state: 'good', text: `${judge.model} passes its canaries` }
      : {
          name: 'judge',
          state: 'bad',
          text: judge?.why ?? 'no semantic-guard says anything about its judge',
        },
    entry.path === 'GUARDED'
      ? { name: 'entry', state: 'good', text: 'takes runs on the guarded path' }
      : { name: 'entry', state: entry.path === 'LEGACY' ? 'warn' : 'bad', text: entry.detail ?? entry.path },
  ];
};

type Findings = { checks: Check[]; nats?: NatsReport; memory?: StackMemory };

const examine = async (config: StackConfig, running: StackState | undefined): Promise<Findings> => {
  const before = await prerequisites(config, running);
  const stack: Check = running
    ? {
        name: 'stack',
        state: 'good',
        text: `runs since ${running.startedAt} in process ${running.owner.pid}, data in ${config.dataDir}`,
      }
    : { name: 'stack', state: 'warn', text: 'not running: npm start' };
  if (!running) return { checks: [...before, stack] };
  let nats: NatsReport | undefined;
  const admits = async (): Promise<string> => {
    nats = await natsReport(running.natsUrl);
    if (nats.admission.open) return 'takes new runs';
    throw new Error(`takes no new runs: too many ${nats.admission.why}`);
  };
  const checks = [...before, stack, await check('event log', admits), ...(await systemChecks(running))];
  const processes = leftOvers(join(config.dataDir, 'pids')).map(({ name, record }) => ({
    name,
    pid: record.pid,
  }));
  return { checks, nats, memory: memoryOfProcesses(processes) };
};

const CHECK_MS = 15_000;

/** Each connection of the configuration, asked from here as agent-runner would ask it. */
const sourceChecks = async (config: StackConfig): Promise<Check[]> => {
  if (config.sourcesFile === undefined) return [];
  const environments = configuredEnvironments(config, {});
  try {
    const checked = await Promise.all(
      environments.names.map(async (source) => {
        const checks = await environments.find(source)?.check(AbortSignal.timeout(CHECK_MS));
        return (checks ?? []).map(({ name, check: { ok, detail, remedy } }): Check => ({
          name: `${source}: ${name}`,
          state: ok ? 'good' : 'bad',
          text: remedy === null ? detail : `${detail}; ${remedy}`,
        }));
      }),
    );
    return checked.flat();
  } finally {
    await environments.close();
  }
};

const run = async ({ out }: Call): Promise<ExitCode> => {
  const config = stackConfig();
  const [{ checks: parts, nats, memory }, sources] = await Promise.all([
    examine(config, runningStack(config.dataDir)),
    sourceChecks(config),
  ]);
  const checks = [...parts, ...sources];
  const { style } = out;
  out.lines(...drawChecks(checks, style));
  if (nats) out.lines('', style.bold('NATS'), ...drawNats(nats));
  if (memory) out.lines('', style.bold('Memory'), ...drawMemory(memory, style));
  out.result({ checks, nats, memory });
  return checks.some(({ state }) => state === 'bad') ? ExitCode.trouble : ExitCode.success;
};

export const doctor: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'What is there and what is up: prerequisites, services, the connections of inquest.yaml, the broker’s limits, memory.',
  options: {},
  optionHelp: {},
  examples: ['doctor', 'doctor --json | jq .nats'],
  positionalsMax: 0,
  run,
};

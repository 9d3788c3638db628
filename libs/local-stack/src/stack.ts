import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBackends, type Backends, type Ports } from './backends';
import { stackConfig, type StackConfig } from './config';
import { freePort, isFree } from './free-port';
import { LOCAL_OPERATOR, gatewayTokens, type TokenHolder } from './gateway-tokens';
import { shippedIncidents, type IncidentSources } from './incident-sources';
import { memoryOfProcesses, type StackMemory } from './memory';
import type { NatsUser } from './nats-access';
import { stopLeftOvers, stopRecorded } from './pid-files';
import { identityOf } from './process-identity';
import { readJson, writePrivateJson } from './secrets';
import { authorOf, type Surroundings } from './service-env';
import { StackError, UnusableInput } from './stack-error';
import { openForRuns, serviceProcesses, type ServiceChoice } from './stack-services';
import { withStackLock } from './stack-lock';
import { joinAsClient, removeState, runningStack, writeState, type StackState } from './stack-state';
import type { ProcessNote, SupervisedProcess } from './supervised-process';

/** Where `npm start` shows itself, so that a person finds it again; another port when this one is taken. */
export const GATEWAY_PORT_DEFAULT = 4780;

export type StackOptions = ServiceChoice & {
  /** Default: from the environment. */
  config?: StackConfig;
  /** Overrides the configured data folder; each test has its own. */
  dataDir?: string;
  /** Beside the shipped ones. */
  incidents?: IncidentSources;
  /** Beside the local operator. */
  tokens?: readonly TokenHolder[];
  /** Platform gateways that may ask over the bus: publisher name to its tenants. */
  publishers?: Readonly<Record<string, readonly string[]>>;
  /** False leaves the cut-over gate as it is. */
  cutOver?: boolean;
  note?: ProcessNote;
};

export type Stack = {
  /** False when another process started it: it can be used, and stopping it here only lets go of it. */
  owned: boolean;
  dataDir: string;
  /** As the operator. */
  natsUrl: string;
  natsUrlFor: (user: NatsUser) => string;
  /** As the owner of the database. */
  databaseUrl: string;
  databaseReaderUrl: string;
  gatewayUrl: string;
  /** By holder; `local-operator` is always there. */
  tokens: Readonly<Record<string, string>>;
  /** By name: a recorded folder, or the configuration that has the source. */
  sources: IncidentSources;
  /** The model that writes diagnoses, e.g. `rules-diagnosis`. */
  author: string;
  processes: () => SupervisedProcess[];
  process: (name: string) => SupervisedProcess;
  /** Kills as a crash would; the process comes back by itself. */
  kill9: (name: string) => Promise<void>;
  restart: (name: string, env?: Record<string, string>) => Promise<void>;
  stop: () => Promise<void>;
};

const portsFile = (dataDir: string): string => join(dataDir, 'ports.json');

const gatewayPort = async (config: StackConfig, kept: Ports, isNamedFolder: boolean): Promise<number> => {
  if (config.gatewayPort !== undefined) {
    if (await isFree(config.gatewayPort)) return config.gatewayPort;
    throw new UnusableInput(`GATEWAY_PORT ${config.gatewayPort} is in use by another program`);
  }
  if (!isNamedFolder && (await isFree(GATEWAY_PORT_DEFAULT))) return GATEWAY_PORT_DEFAULT;
  return freePort(kept.gateway);
};

const stopAll = async (
  services: readonly SupervisedProcess[],
  backends: readonly SupervisedProcess[],
): Promise<void> => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(backends.map((backend) => backend.stop()));
};

type Begun = { stack: Stack; state: StackState };

const begin = async (options: StackOptions, config: StackConfig, note: ProcessNote): Promise<Begun> => {
  const { dataDir } = config;
  const kept = (readJson(portsFile(dataDir)) ?? {}) as Ports;
  const holders = [LOCAL_OPERATOR, ...(options.tokens ?? [])];
  const { file: tokensFile, tokens } = gatewayTokens(dataDir, holders);
  const backends = await startBackends(
    config,
    kept,
    Object.keys(options.publishers ?? {}),
    note,
    options.ackWaitMs === undefined ? {} : { ackWaitMs: options.ackWaitMs },
  );
  let services: SupervisedProcess[] = [];
  try {
    const sources = { ...shippedIncidents(), ...options.incidents };
    assertNoneTwice(sources, config);
    const ports = {
      ...backends.ports,
      gateway: await gatewayPort(config, kept, options.dataDir !== undefined),
      analyst: await freePort(kept.analyst),
    };
    writePrivateJson(portsFile(dataDir), ports);
    const around = {
      ...backends,
      config,
      gatewayPort: ports.gateway,
      analystPort: ports.analyst,
      tokensFile,
      sources,
      publishers: options.publishers ?? {},
    };
    services = await serviceProcesses(options, around, note);
    await Promise.all(services.map((service) => service.start()));
    if (options.cutOver ?? true) await openForRuns(services, around, tokens[LOCAL_OPERATOR.name] ?? '', note);
    const all = [...backends.processes, ...services];
    return own({ config, around, tokens, all, stop: () => stopAll(services, backends.processes) });
  } catch (error) {
    await stopAll(services, backends.processes);
    throw error;
  }
};

const assertNoneTwice = (folders: IncidentSources, { sourcesFile }: StackConfig): void => {
  const twice = sourcesFile?.names.find((name) => folders[name] !== undefined);
  if (twice !== undefined)
    throw new UnusableInput(
      `${sourcesFile?.path ?? ''}: the source ${twice} is a recorded folder already; give it another name`,
    );
};

/** Folders, and the sources of a configuration under its own path. */
const allSources = ({ config, sources }: Surroundings): IncidentSources => ({
  ...sources,
  ...Object.fromEntries(
    (config.sourcesFile?.names ?? []).map((name) => [name, config.sourcesFile?.path ?? '']),
  ),
});

type Owned = {
  config: StackConfig;
  around: Surroundings & Backends;
  tokens: Record<string, string>;
  all: SupervisedProcess[];
  stop: () => Promise<void>;
};

const own = ({ config, around, tokens, all, stop }: Owned): Begun => {
  const { dataDir } = config;
  const process_ = (name: string): SupervisedProcess => {
    const found = all.find((each) => each.name === name);
    if (!found)
      throw new StackError(`this stack runs no ${name}, but ${all.map((each) => each.name).join(', ')}`);
    return found;
  };
  let stopped: Promise<void> | undefined;
  const stack: Stack = {
    owned: true,
    dataDir,
    natsUrl: around.natsUrlFor('operator'),
    natsUrlFor: around.natsUrlFor,
    databaseUrl: around.databaseUrl,
    databaseReaderUrl: around.databaseReaderUrl,
    gatewayUrl: `http://127.0.0.1:${around.gatewayPort}`,
    tokens,
    sources: allSources(around),
    author: authorOf(config),
    processes: () => [...all],
    process: process_,
    kill9: (name) => process_(name).kill9(),
    restart: (name, env) => process_(name).restart(env),
    stop: () =>
      (stopped ??= withStackLock(dataDir, async () => {
        await stop();
        removeState(dataDir);
      })),
  };
  return { stack, state: stateOf(stack, all) };
};

const stateOf = (stack: Stack, all: readonly SupervisedProcess[]): StackState => {
  const owner = identityOf(process.pid);
  if (!owner) throw new StackError('this process cannot read its own identity');
  return {
    version: 1,
    owner,
    startedAt: new Date().toISOString(),
    natsUrl: stack.natsUrl,
    databaseUrl: stack.databaseUrl,
    databaseReaderUrl: stack.databaseReaderUrl,
    gatewayUrl: stack.gatewayUrl,
    token: stack.tokens[LOCAL_OPERATOR.name] ?? '',
    sources: { ...stack.sources },
    logs: Object.fromEntries(all.map(({ name }) => [name, join(stack.dataDir, 'logs', `${name}.log`)])),
    author: stack.author,
  };
};

/** Uses a stack that another process runs; its processes are that one's business. */
const attach = (dataDir: string, state: StackState): Stack => {
  const leave = joinAsClient(dataDir);
  const notOurs = (): never => {
    throw new StackError(
      `process ${state.owner.pid} runs this stack; only it can start and stop parts of it`,
    );
  };
  return {
    owned: false,
    dataDir,
    natsUrl: state.natsUrl,
    natsUrlFor: notOurs,
    databaseUrl: state.databaseUrl,
    databaseReaderUrl: state.databaseReaderUrl,
    gatewayUrl: state.gatewayUrl,
    tokens: { [LOCAL_OPERATOR.name]: state.token },
    sources: state.sources,
    author: state.author,
    processes: notOurs,
    process: notOurs,
    kill9: notOurs,
    restart: notOurs,
    stop: async () => leave(),
  };
};

/**
 * Starts everything that is not running yet and waits until it serves. A stack that already runs on the data folder is
 * used instead; what a killed start left behind is stopped first. Two starts at once end in one stack.
 */
export const startStack = async (options: StackOptions = {}): Promise<Stack> => {
  const base = options.config ?? stackConfig();
  const config = { ...base, dataDir: options.dataDir ?? base.dataDir };
  const note = options.note ?? (() => undefined);
  mkdirSync(config.dataDir, { recursive: true });
  return withStackLock(config.dataDir, async () => {
    const running = runningStack(config.dataDir);
    if (running) return attach(config.dataDir, running);
    const left = await stopLeftOvers(join(config.dataDir, 'pids'));
    if (left.length > 0) note(`stopped what an earlier start left behind: ${left.join(', ')}`);
    const { stack, state } = await begin(options, config, note);
    writeState(config.dataDir, state);
    return stack;
  });
};

/**
 * Stops the stack on a data folder, whoever runs it, and every left-over of a killed one. Returns what there was to stop.
 */
export const stopStack = async (dataDir: string): Promise<'STOPPED' | 'NOTHING_RAN'> => {
  const running = runningStack(dataDir);
  if (running) {
    if (running.owner.pid === process.pid)
      throw new StackError('a process stops its own stack by the stack it was given');
    await stopRecorded({ ...running.owner, stopSignal: 'SIGTERM' }, 30_000);
  }
  const left = await withStackLock(dataDir, () => stopLeftOvers(join(dataDir, 'pids')));
  removeState(dataDir);
  return running || left.length > 0 ? 'STOPPED' : 'NOTHING_RAN';
};

/** Memory of every process of an owned stack, with its children. */
export const memoryOf = (stack: Stack): StackMemory =>
  memoryOfProcesses(stack.processes().flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }])));

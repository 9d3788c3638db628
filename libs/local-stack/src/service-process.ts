import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT_ROOT } from './project-root';
import type { ProgramName } from './service-env';
import { StackError } from './stack-error';
import { SupervisedProcess, type ProcessNote } from './supervised-process';

/**
 * The young generation may grow under load, where scavenges cost a sixth of a busy process's time; an idle process does
 * not use the room. Source maps are left out: they double the start of a service.
 */
const NODE_FLAGS = ['--max-semi-space-size=32', '--max-old-space-size=512'];

const entryOf = (program: ProgramName): string => join(PROJECT_ROOT, 'apps', program, 'dist/main.js');

export const isBuilt = (program: ProgramName): boolean => existsSync(entryOf(program));

const PROBE_EVERY_MS = 40;
const ANSWER_TIMEOUT_MS = 1_000;

/** Whether somebody listens: a bare connection costs a tenth of a request, and all starting services are asked. */
const listens = (url: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    const tell = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => tell(true)).once('error', () => tell(false));
  });

const answers = (url: URL): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );

/** Resolves when the page answers 200, or when `signal` aborts. */
const untilHealthy = async (url: URL, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && !((await listens(url)) && (await answers(url)))) await sleep(PROBE_EVERY_MS);
};

/** Services may say `{ready: true}` over the channel of their parent once they serve: sooner seen than by asking. */
const untilAnnounced = (child: ChildProcess, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      child.off('message', look);
      resolve();
    };
    const look = (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'ready' in message && message.ready === true)
        done();
    };
    child.on('message', look);
    signal.addEventListener('abort', done, { once: true });
  });

export type ServiceProcessOptions = {
  program: ProgramName;
  /** Differs from the program's name where several instances run. */
  processName: string;
  env: Readonly<Record<string, string>>;
  /** Answers 200 once the process serves; absent for a program that says so by itself. */
  readyUrl?: string;
  dataDir: string;
  note?: ProcessNote;
};

/** One service as a supervised process; nothing runs before `start()`. */
export const serviceProcess = (options: ServiceProcessOptions): SupervisedProcess => {
  const { program, processName, env, readyUrl, dataDir, note } = options;
  if (!isBuilt(program)) throw new StackError(`apps/${program} is not built: run npm run build`);
  return new SupervisedProcess(
    {
      name: processName,
      command: process.execPath,
      args: [...NODE_FLAGS, entryOf(program)],
      env,
      cwd: PROJECT_ROOT,
      ipc: true,
      logFile: join(dataDir, 'logs', `${processName}.log`),
      pidDir: join(dataDir, 'pids'),
      stopSignal: 'SIGTERM',
      // A service gives itself five seconds to drain.
      stopTimeoutMs: 7_000,
      readyTimeoutMs: 30_000,
      awaitReady: (child, signal) => {
        const announced = untilAnnounced(child, signal);
        return readyUrl === undefined
          ? announced
          : Promise.race([announced, untilHealthy(new URL(readyUrl), signal)]);
      },
    },
    note,
  );
};

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port';
import { findNatsServer } from './nats-binary';
import { SupervisedProcess, type ProcessNote } from './supervised-process';

export type NatsOptions = {
  /** Holds the store, the configuration, the log and the pid file. */
  dataDir: string;
  /** Taken when it is free; another one otherwise. */
  port?: number;
  binary?: string;
  /** The configuration text for a port and a store; without it the server takes anyone on the loopback. */
  configText?: (at: { port: number; storeDir: string }) => string;
  note?: ProcessNote;
};

export type Nats = { port: number; url: string; process: SupervisedProcess; stop: () => Promise<void> };

/** Where nobody hands in a configuration: JetStream on files, on the loopback only. */
export const openConfig = ({ port, storeDir }: { port: number; storeDir: string }): string =>
  [
    `host: "127.0.0.1"`,
    `port: ${port}`,
    `max_payload: 1048576`,
    `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_memory_store: 64MB, max_file_store: 8GB }`,
    '',
  ].join('\n');

/** Resolves with the server's INFO line: it is sent to every connection before anything is asked. */
const readInfo = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = openSocket({ port, host: '127.0.0.1' });
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(1_000, () => socket.destroy(new Error('no INFO line within 1000 ms')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed before its INFO line')));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\r\n')) return;
      resolve(text.slice(0, text.indexOf('\r\n')));
      socket.destroy();
    });
  });

/** The port may belong to somebody else: only a server that announces JetStream counts. */
const untilServing = async (port: number, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const info = await readInfo(port).catch(() => '');
    if (/"jetstream":\s*true/.test(info)) return;
    await sleep(5);
  }
};

/**
 * Half of the cores: the broker shares the machine with the services it serves, and on two cores one thread spares it a
 * third of its processor time (4.2-4.8 instead of 6.5-7 ms a run), which went into waking its other thread.
 */
const schedulerThreads = (): number => Math.max(1, Math.floor(availableParallelism() / 2));

/** Starts nats-server with JetStream on file storage and waits until it serves. */
export const startNats = async (options: NatsOptions): Promise<Nats> => {
  const { dataDir, configText = openConfig, note } = options;
  const binary = options.binary ?? (await findNatsServer({ path: '/usr/local/bin:/usr/bin', note }));
  const port = await freePort(options.port);
  const storeDir = join(dataDir, 'nats');
  const configFile = join(dataDir, 'nats.conf');
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  writeFileSync(configFile, configText({ port, storeDir }), { mode: 0o600 });
  chmodSync(configFile, 0o600);
  const server = new SupervisedProcess(
    {
      name: 'nats',
      command: binary,
      args: ['-c', configFile],
      env: { GOMAXPROCS: String(schedulerThreads()) },
      cwd: dataDir,
      logFile: join(dataDir, 'logs/nats.log'),
      pidDir: join(dataDir, 'pids'),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 5_000,
      readyTimeoutMs: 15_000,
      awaitReady: (_, signal) => untilServing(port, signal),
    },
    note,
  );
  await server.start();
  return { port, url: `nats://127.0.0.1:${port}`, process: server, stop: () => server.stop() };
};

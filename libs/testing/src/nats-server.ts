import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

export type TestNats = {
  url: string;
  port: number;
  storeDir: string;
  /** The broker's process dies at once; its files stay. */
  kill9(): Promise<void>;
  /** Same port, same files. */
  restart(): Promise<void>;
  /** Ends the broker and removes its files. */
  stop(): Promise<void>;
};

export const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1');
    // The server greets with INFO once it is ready; an open port alone may be early.
    socket.once('data', () => resolve(true) ?? socket.destroy());
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

/**
 * A throw-away broker with JetStream on file storage. `configText` replaces the generated configuration: it gets the
 * port and the storage directory to build its own.
 */
export const startNats = async (
  configText: (at: { port: number; storeDir: string }) => string = plainConfig,
): Promise<TestNats> => {
  const dir = mkdtempSync(join(tmpdir(), 'inquest-nats-'));
  const storeDir = join(dir, 'store');
  const port = await freePort();
  const configFile = join(dir, 'nats.conf');
  writeFileSync(configFile, configText({ port, storeDir }));
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const started = spawn('nats-server', ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let output = '';
    started.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
    const deadline = performance.now() + 10_000;
    while (!(await accepts(port))) {
      if (started.exitCode !== null || performance.now() > deadline) {
        throw new Error(`nats-server did not start: ${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill(signal);
    await exited;
  };

  // A test that ends before its clean-up must not leave a broker behind.
  const atExit = (): void => void child?.kill('SIGKILL');
  process.once('exit', atExit);
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    storeDir,
    kill9: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGKILL');
      await start();
    },
    stop: async () => {
      await end('SIGKILL');
      process.off('exit', atExit);
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

const plainConfig = ({ port, storeDir }: { port: number; storeDir: string }): string =>
  `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${storeDir}" }\n`;

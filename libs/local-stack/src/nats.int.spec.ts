import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { freePort } from './free-port';
import { startNats, type Nats } from './nats';
import { identityOf } from './process-identity';

jest.setTimeout(60_000);

describe('the embedded NATS server', () => {
  let dataDir: string;
  let nats: Nats | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'inquest-nats-'));
  });
  afterEach(async () => {
    await nats?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('keeps a file-backed stream through kill -9 and comes back on the same port by itself', async () => {
    nats = await startNats({ dataDir });
    const before = nats.process.pid;
    await publishOne(nats.url);

    await nats.process.kill9();
    await nats.process.whenReady();

    expect(nats.process.pid).not.toBe(before);
    expect(await countMessages(nats.url)).toBe(1);
  });

  it('takes another port when the wanted one is in use', async () => {
    const port = await freePort();
    nats = await startNats({ dataDir, port });
    const other = await startNats({ dataDir: join(dataDir, 'other'), port });
    try {
      expect(nats.port).toBe(port);
      expect(other.port).not.toBe(port);
    } finally {
      await other.stop();
    }
  });

  it('stops in order and leaves neither process nor pid file', async () => {
    nats = await startNats({ dataDir });
    const { pid } = nats.process;
    await nats.stop();
    expect(identityOf(pid as number)).toBeUndefined();
    expect(nats.process.state).toBe('STOPPED');
  });

  it('says what the server said when its configuration is refused', async () => {
    const refused = startNats({ dataDir, configText: () => 'port: "nonsense"' });
    await expect(refused).rejects.toThrow(/nats exited with 1\n.*nats\.conf/s);
  });
});

const publishOne = async (url: string): Promise<void> => {
  const connection = await connect({ servers: url });
  await (
    await jetstreamManager(connection)
  ).streams.add({ name: 'KEEP', subjects: ['keep.>'], storage: 'file' });
  await jetstream(connection).publish('keep.one', 'text');
  await connection.close();
};

const countMessages = async (url: string): Promise<number> => {
  const connection = await connect({ servers: url });
  const { state } = await (await jetstreamManager(connection)).streams.info('KEEP');
  await connection.close();
  return state.messages;
};

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { serviceAnnounced } from '@inquest/contracts/platform-facts';
import { announcementSubject } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { publishLatest } from '@inquest/event-log/publish-latest';
import { waitFor } from '@inquest/testing/wait-for';
import { readStackConfig } from './config';
import { leftOvers } from './pid-files';
import { identityOf } from './process-identity';
import { natsReport } from './nats-report';
import { NoGuardAnnounced, cutOverOnce, operateCutOver } from './provision-log';
import { withStackLock } from './stack-lock';
import { clientsOf, runningStack } from './stack-state';
import { memoryOf, startStack, stopStack, type Stack } from './stack';

jest.setTimeout(60_000);

describe('the local stack', () => {
  let dataDir: string;
  const stacks: Stack[] = [];

  const start = async (): Promise<Stack> => {
    const config = readStackConfig({ INQUEST_DATA_DIR: dataDir });
    const stack = await startStack({ config, dataDir, services: [] });
    stacks.push(stack);
    return stack;
  };

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'inquest-stack-'));
    chmodSync(dataDir, 0o755);
  });
  afterEach(async () => {
    await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
    await stopStack(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is one stack however many starts happen at once', async () => {
    const three = await Promise.all([start(), start(), start()]);
    expect(three.map(({ owned }) => owned).sort()).toEqual([false, false, true]);
    expect(new Set(three.map(({ gatewayUrl }) => gatewayUrl)).size).toBe(1);
  });

  it('keeps its ports from start to start and is ready again within three seconds', async () => {
    const first = await start();
    const { natsUrl, databaseUrl, gatewayUrl } = first;
    await first.stop();
    const from = performance.now();
    const second = await start();
    expect(performance.now() - from).toBeLessThan(3_000);
    expect(second).toMatchObject({ owned: true, natsUrl, databaseUrl, gatewayUrl });
  });

  it('writes what it knows about itself where only its owner reads', async () => {
    await start();
    for (const file of ['stack.json', 'gateway-tokens.json', 'token-secrets.json']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    }
  });

  it('is left by a client without being stopped, and knows who still uses it', async () => {
    const owner = await start();
    const client = await start();
    expect(clientsOf(dataDir).map(({ pid }) => pid)).toEqual([process.pid]);
    await client.stop();
    expect(clientsOf(dataDir)).toEqual([]);
    expect(owner.processes().map(({ state }) => state)).toEqual(['READY', 'READY']);
    expect(() => client.kill9('nats')).toThrow(/runs this stack/);
  });

  it('measures the memory of its processes', async () => {
    const memory = memoryOf(await start());
    expect(memory.processes.map(({ name }) => name)).toEqual(['nats', 'postgres']);
    expect(memory.rssMb).toBeGreaterThan(20);
  });

  it('makes the streams before any service starts, and tells each broker user apart', async () => {
    const stack = await start();
    const report = await natsReport(stack.natsUrl);
    expect(report).toMatchObject({ admission: { open: true }, maxPayloadBytes: 1_048_576 });
    expect(report.partitions).toHaveLength(4);
    const stranger = stack.natsUrl.replace(/:[^:@]+@/, ':wrong@');
    await expect(natsReport(stranger)).rejects.toThrow(/[Aa]uthorization/);
  });

  it('has no cut-over before a guard has announced what it runs, and keeps a roll-back', async () => {
    const { natsUrl } = await start();
    expect(await operateCutOver(natsUrl, 'look', 'test')).toBeUndefined();
    await expect(operateCutOver(natsUrl, 'cut-over', 'test')).rejects.toThrow(NoGuardAnnounced);
    expect(await operateCutOver(natsUrl, 'roll-back', 'test')).toMatchObject({
      kind: 'ROLLED_BACK',
      by: 'test',
    });
    expect(await cutOverOnce(natsUrl)).toBe(false);
  });

  it('renews its own cut-over when the rules are newer, and takes back nobody else’s', async () => {
    const stack = await start();
    const announce = async (ruleSet: string): Promise<void> => {
      const nc = await connectNats({ url: stack.natsUrlFor('evidence-guard'), service: 'evidence-guard' });
      const subject = announcementSubject('evidence-guard', 'one');
      const at = new Date().toISOString();
      const said = {
        service: 'evidence-guard',
        instance: 'one',
        contractVersion: 1,
        version: '0',
        startedAt: at,
      };
      const frame = { subject, type: serviceAnnounced.type, source: 'evidence-guard', time: at };
      await publishLatest(nc, subject, messageOf(frame, { ...said, at, ruleSet }));
      await nc.close();
    };
    const look = () => operateCutOver(stack.natsUrl, 'look', 'test');
    await announce('evidence-0');
    await cutOverOnce(stack.natsUrl);
    expect(await look()).toMatchObject({ ruleSet: 'evidence-0', by: 'local-stack' });
    await announce(RULE_SET);
    expect(await cutOverOnce(stack.natsUrl)).toBe(true);
    expect(await look()).toMatchObject({ ruleSet: RULE_SET, by: 'local-stack' });

    await announce('evidence-0');
    await operateCutOver(stack.natsUrl, 'cut-over', 'a person');
    await announce(RULE_SET);
    await cutOverOnce(stack.natsUrl);
    expect(await look()).toMatchObject({ ruleSet: 'evidence-0', by: 'a person' });
  });

  it('stops nothing where nothing runs', async () => {
    expect(await stopStack(dataDir)).toBe('NOTHING_RAN');
  });

  it('replaces what a start that was killed has left running, on the same data', async () => {
    const killed = spawnHolder(dataDir);
    await waitFor('the other start', () => runningStack(dataDir) !== undefined || undefined, 15_000);
    const before = leftOvers(join(dataDir, 'pids'));
    killed.kill('SIGKILL');
    await waitFor('its death', () => runningStack(dataDir) === undefined || undefined);

    const stack = await start();
    expect(stack.owned).toBe(true);
    expect(before.map(({ name }) => name).sort()).toEqual(['nats', 'postgres']);
    expect(before.map(({ record }) => identityOf(record.pid))).toEqual([undefined, undefined]);
  });

  it('is stopped from another process by the data folder alone', async () => {
    const holder = spawnHolder(dataDir);
    const exited = new Promise((resolve) => holder.once('exit', resolve));
    await waitFor('the other start', () => runningStack(dataDir) !== undefined || undefined, 15_000);
    expect(await stopStack(dataDir)).toBe('STOPPED');
    expect(await exited).toBe(0);
    expect(leftOvers(join(dataDir, 'pids'))).toEqual([]);
  });

  it('takes over a lock whose holder is dead', async () => {
    const holder = spawn(process.execPath, [...SOURCES, HOLD_LOCK, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    holder.kill('SIGKILL');
    expect(await withStackLock(dataDir, () => Promise.resolve('mine'), 5_000)).toBe('mine');
  });
});

const SOURCES = ['--conditions=source', '--require', join(__dirname, '../test/run-sources.cjs')];
const HOLD_LOCK = join(__dirname, '../test/hold-lock.ts');

const spawnHolder = (dataDir: string) =>
  spawn(process.execPath, [...SOURCES, join(__dirname, '../test/hold-stack.ts'), dataDir], {
    stdio: 'inherit',
  });

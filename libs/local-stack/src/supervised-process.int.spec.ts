import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@inquest/testing/wait-for';
import { leftOvers, stopLeftOvers, writePidFile } from './pid-files';
import { identityOf } from './process-identity';
import { SupervisedProcess, type ProcessPlan } from './supervised-process';

jest.setTimeout(60_000);

describe('a supervised process', () => {
  let dir: string;
  let supervised: SupervisedProcess | undefined;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-process-'));
  });
  afterEach(async () => {
    await supervised?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const plan = (script: string, more: Partial<ProcessPlan> = {}): ProcessPlan => {
    const file = join(dir, 'main.js');
    writeFileSync(file, script);
    return {
      name: 'sample',
      command: process.execPath,
      args: [file],
      env: { DIR: dir },
      cwd: dir,
      ipc: true,
      logFile: join(dir, 'sample.log'),
      pidDir: join(dir, 'pids'),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 500,
      readyTimeoutMs: 5_000,
      awaitReady: (child) => new Promise((resolve) => child.once('message', () => resolve())),
      ...more,
    };
  };

  it('is ready when it says so, gets the environment that it was given and nothing else', async () => {
    supervised = new SupervisedProcess(
      plan(`${SERVE} process.stdout.write(Object.keys(process.env).sort().join())`),
    );
    await supervised.start();
    const seen = await waitFor('the log', () => readFileSync(join(dir, 'sample.log'), 'utf8') || undefined);
    expect(seen.split(',').filter((name) => !name.startsWith('NODE_CHANNEL'))).toEqual(['DIR']);
  });

  it('restarts in order, with what is added to its environment', async () => {
    supervised = new SupervisedProcess(plan(`process.stdout.write(\`[\${process.env.EXTRA}]\`); ${SERVE}`));
    await supervised.start();
    const before = supervised.pid;
    await supervised.restart({ EXTRA: 'more' });
    expect(supervised.pid).not.toBe(before);
    const log = () => readFileSync(join(dir, 'sample.log'), 'utf8');
    await waitFor('the log', () => log() === '[undefined][more]' || undefined);
  });

  it('comes back after each death, a little later each time', async () => {
    const notes: string[] = [];
    supervised = new SupervisedProcess(plan(SERVE), (line) => notes.push(line));
    await supervised.start();
    const pids = new Set([supervised.pid]);
    for (let i = 0; i < 2; i += 1) {
      await supervised.kill9();
      expect(supervised.state).toBe('BACKING_OFF');
      await supervised.whenReady();
      pids.add(supervised.pid);
    }
    expect(pids.size).toBe(3);
    expect(notes).toEqual(Array(2).fill('sample died (SIGKILL); starting it again'));
  });

  it('keeps trying while the process dies at once, and serves when it recovers', async () => {
    const script = `
      const fs = require('node:fs'); const n = fs.existsSync('n') ? Number(fs.readFileSync('n')) : 0; fs.writeFileSync('n', String(n + 1));
      if (n === 1 || n === 2) process.exit(9); ${SERVE}`;
    supervised = new SupervisedProcess(plan(script));
    await supervised.start();
    await supervised.kill9();
    await supervised.whenReady();
    expect(readFileSync(join(dir, 'n'), 'utf8')).toBe('4');
  });

  it('reports a process that dies before it is ready with its last words, and does not try again', async () => {
    supervised = new SupervisedProcess(
      plan(`process.stderr.write('PORT must be a number\\n'); process.exit(2);`),
    );
    await expect(supervised.start()).rejects.toThrow('sample exited with 2\nPORT must be a number');
    expect(supervised.state).toBe('STOPPED');
  });

  it('reports a process that never becomes ready', async () => {
    supervised = new SupervisedProcess(plan(`setInterval(() => {}, 1000)`, { readyTimeoutMs: 300 }));
    await expect(supervised.start()).rejects.toThrow('sample was not ready within 300 ms');
    expect(leftOvers(join(dir, 'pids'))).toEqual([]);
  });

  it('reports a command that cannot be run at all', async () => {
    supervised = new SupervisedProcess(plan(SERVE, { command: join(dir, 'no-such-program') }));
    await expect(supervised.start()).rejects.toThrow(/sample .*ENOENT/);
  });

  it('is killed when it does not stop in time', async () => {
    supervised = new SupervisedProcess(plan(`process.on('SIGTERM', () => {}); ${SERVE}`));
    await supervised.start();
    const pid = supervised.pid as number;
    await supervised.stop();
    expect(identityOf(pid)).toBeUndefined();
  });

  describe('left behind by a killed start', () => {
    it('is recognised by pid, start time and command line, and stopped', async () => {
      supervised = new SupervisedProcess(plan(SERVE));
      await supervised.start();
      const pid = supervised.pid as number;
      expect(leftOvers(join(dir, 'pids')).map(({ name }) => name)).toEqual(['sample']);

      const stopping = stopLeftOvers(join(dir, 'pids'));
      await waitFor('its end', () => identityOf(pid) === undefined || undefined);
      await supervised.stop();
      expect(await stopping).toEqual(['sample']);
    });

    it('is not taken for a stranger that was given its pid', async () => {
      const pids = join(dir, 'pids');
      writePidFile(pids, 'sample', process.pid, 'SIGKILL');
      const file = join(pids, 'sample.json');
      const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      writeFileSync(file, JSON.stringify({ ...record, startedAt: 'another boot/1' }));
      expect(await stopLeftOvers(pids)).toEqual([]);
    });
  });
});

const SERVE = `setInterval(() => {}, 1000); process.send({ ready: true });`;

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, sharedData } from '@inquest/testing/describe-with';
import { FAULTS } from './made-faults';
import { soundCluster } from './made-helpers';
import type { Score } from './score';
import { writeMadeCase } from './write-made-case';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '../..');
const run = promisify(execFile);

type Printed = Score & { wrong: { case: string }[] };

/** The command as a person types it, behind npm; the last line of its output. */
const evaluate = async (...args: string[]): Promise<{ printed: Printed; tables: string }> => {
  const { stdout, stderr } = await run(
    process.execPath,
    [join(ROOT, 'tools/eval.mjs'), 'cloud-opsbench', ...args, '--json'],
    { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 },
  );
  return { printed: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Printed, tables: stderr };
};

const failed = async (...args: string[]): Promise<{ code: number; stderr: string }> => {
  try {
    await run(process.execPath, [join(ROOT, 'tools/eval.mjs'), ...args], {
      cwd: ROOT,
      env: { ...process.env, OPENAI_BASE_URL: '' },
    });
  } catch (error) {
    return error as { code: number; stderr: string };
  }
  throw new Error('the command succeeded');
};

describe('npm run eval -- cloud-opsbench', () => {
  it('wants an endpoint for a model that is named', async () => {
    const { code, stderr } = await failed('cloud-opsbench', '--data', data, '--model', 'some-model');
    expect(code).toBe(2);
    expect(stderr).toContain('OPENAI_BASE_URL');
  });

  let data: string;
  beforeAll(() => {
    data = mkdtempSync(join(tmpdir(), 'inquest-made-data-'));
    const chosen = ['oom_killed', 'service_selector_mismatch'].map((cause) =>
      FAULTS.find((fault) => fault.cause === cause),
    );
    chosen.forEach((fault, index) => {
      if (!fault) throw new Error('there is no such fault');
      const cluster = soundCluster();
      fault.make(cluster);
      writeMadeCase(join(data, 'made', String(index + 1)), cluster, {
        query: 'Service disruption.',
        ...fault,
      });
    });
    writeFileSync(
      join(data, 'vocabulary.json'),
      JSON.stringify({
        oom_killed: ['app'],
        service_selector_mismatch: ['app'],
        kubelet_unavailable: ['node'],
      }),
    );
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  it('diagnoses the cases of any system through every service, twice alike, and prints what it measured', async () => {
    const { printed, tables } = await evaluate('--data', data, '--repeat', '2', '--concurrency', '2');
    expect(printed).toMatchObject({
      cases: 2,
      runs: 4,
      a1: 1,
      a3: 1,
      partialA1: 1,
      outcomes: { SUCCESS: 1 },
      wrongConfident: 0,
      consistency: 1,
      perCategory: { made: { cases: 2, a1: 1 } },
      wrong: [],
    });
    expect(printed.toolCallsPerRun).toBeGreaterThan(5);
    expect(printed.modelCallsPerRun).toBeGreaterThanOrEqual(3);
    for (const text of ['made/1', 'made/2', 'A@1', 'SUCCESS 100.0 %', 'wrong and confident 0.0 %'])
      expect(tables).toContain(text);
  });

  it.each([['--help'], ['cloud-opsbench', '--help'], ['investigate', '--help']])(
    'says on stdout what it takes: %s %s',
    async (...args) => {
      const given = args.filter((arg) => typeof arg === 'string');
      const { stdout } = await run(process.execPath, [join(ROOT, 'tools/eval.mjs'), ...given], { cwd: ROOT });
      expect(stdout).toContain('npm run eval -- ');
    },
  );

  it.each([
    ['no data', ['cloud-opsbench'], '--data is missing'],
    ['data that are not there', ['cloud-opsbench', '--data', '/nowhere'], 'there is no folder'],

    ['an unknown evaluation', ['cloud-opsbenhc'], 'there is no evaluation'],
    ['a number that is none', ['cloud-opsbench', '--data', ROOT, '--limit', 'few'], '--limit'],
  ])('refuses %s in plain words', async (_, args, words) => {
    const { code, stderr } = await failed(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

const SNAPSHOTS = sharedData('cloud-opsbench', 'boutique');

describeWith(SNAPSHOTS)('recorded clusters of the benchmark, through every service', () => {
  let list: string;
  beforeAll(() => {
    list = join(mkdtempSync(join(tmpdir(), 'inquest-cases-')), 'cases.txt');
    writeFileSync(list, 'startup/21\nscheduling/157\nservice/34\n');
  });
  afterAll(() => rmSync(join(list, '..'), { recursive: true, force: true }));

  it('are answered with a grounded report that names object and cause', async () => {
    const { printed } = await evaluate('--data', SNAPSHOTS, '--cases', list);
    expect(printed).toMatchObject({ cases: 3, a1: 1, outcomes: { SUCCESS: 1 }, wrongConfident: 0 });
  });
});

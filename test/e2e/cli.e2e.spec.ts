import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaseView } from '@inquest/contracts/case-view';
import { RunList, type RunView } from '@inquest/contracts/run-view';
import { startScriptedModel, type Script, type ScriptedModel } from '@inquest/testing/scripted-model';
import { scriptedRun } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '../..');

type Ended = { code: number | null; stdout: string; stderr: string };
type Running = { text: () => string; interrupt: () => void; ended: Promise<Ended> };

let dataDir: string;

/** As `npm run inquest -- ...`, without npm's own lines. */
const begin = (...args: string[]): Running => beginWith({}, ...args);
const beginWith = (more: Record<string, string>, ...args: string[]): Running => {
  const env = { PATH: process.env['PATH'], INQUEST_DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...more };
  const child = spawn(process.execPath, [join(ROOT, 'tools/run.mjs'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
  return {
    text: () => text.stdout + text.stderr,
    interrupt: () => void child.kill('SIGINT'),
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, ...text }))),
  };
};
const inquest = (...args: string[]): Promise<Ended> => begin(...args).ended;
const lastLine = (text: string): unknown => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');

describe('the command line with a model that fails', () => {
  let model: ScriptedModel;
  let own: string;

  beforeAll(async () => {
    own = mkdtempSync(join(tmpdir(), 'inquest-cli-e2e-'));
    chmodSync(own, 0o755);
    model = await startScriptedModel(scriptedRun());
  });
  afterAll(async () => {
    await model.close();
    rmSync(own, { recursive: true, force: true });
  });

  const diagnose = (script: Script): Promise<Ended> => {
    model.play(script);
    const scripted = { MODEL_AGENT: 'scripted', MODEL_ROUTER: 'scripted', MODEL_JUDGE: 'scripted-judge' };
    const env = { INQUEST_DATA_DIR: own, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'k', ...scripted };
    return beginWith(env, 'diagnose', '--json').ended;
  };

  it('exits with 4 and says why when the run failed', async () => {
    const { code, stdout } = await diagnose(scriptedRun({ router: ['ERROR_500'] }));
    expect(code).toBe(4);
    expect(lastLine(stdout)).toMatchObject({ outcome: 'FAILED', failure: { reason: 'ROUTER_UNAVAILABLE' } });
  });

  it('exits with 3 and shows the fallback when the judge does not agree', async () => {
    const { code, stdout, stderr } = await diagnose(scriptedRun({ judge: ['UNSUPPORTED'] }));
    expect(code).toBe(3);
    expect(lastLine(stdout)).toMatchObject({
      outcome: 'FALLBACK',
      fallback: { type: 'SEMANTIC_UNSUPPORTED' },
    });
    expect(stderr).not.toContain('    at ');
  });
});

let stack: Running;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inquest-cli-e2e-'));
  // As root, Postgres runs as another user, who has to pass through.
  chmodSync(dataDir, 0o755);
  stack = begin('start');
  await waitFor('npm start', () => stack.text().includes('Ctrl-C stops everything') || undefined, 60_000);
});
afterAll(async () => {
  const stopped = await inquest('stop');
  const { code } = await stack.ended;
  rmSync(dataDir, { recursive: true, force: true });
  expect({ start: code, stop: stopped.code }).toEqual({ start: 0, stop: 0 });
});

describe('the command line against the running stack', () => {
  let runId: string;

  it('diagnoses the shipped incident, shows every step, and prints one JSON line', async () => {
    const { code, stdout, stderr } = await inquest('diagnose', '--json');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const result = lastLine(stdout) as RunView;
    expect(result).toMatchObject({ intent: 'DIAGNOSIS', outcome: 'SUCCESS' });
    expect(result.report?.conclusion.status).toBe('ROOT_CAUSE_IDENTIFIED');
    expect(result.report?.analyses.every(({ toolCallIds }) => toolCallIds.length > 0)).toBe(true);
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['timings', 'modelCalls', 'toolCalls', 'coverage']),
    );
    for (const step of [
      'router',
      'EVIDENCE_FOUND',
      'draft',
      'evidence guard',
      'semantic guard',
      'released',
    ]) {
      expect(stderr).toContain(step);
    }
    runId = result.runId;
  });

  it('shows the same run again, and opens what it cites', async () => {
    const shown = await inquest('runs', 'show', runId, '--json');
    const { report } = lastLine(shown.stdout) as RunView;
    expect(shown.code).toBe(0);
    const cited = report?.analyses[0]?.toolCallIds[0] ?? '';
    const evidence = await inquest('evidence', runId, cited);
    expect(evidence).toMatchObject({ code: 0, stderr: '' });
    expect(evidence.stdout).toContain('(checked)');
    expect((await inquest('evidence', runId, 'call_of_nobody')).code).toBe(2);
  });

  it('investigates, and opens what the diagnosis of a case cites', async () => {
    const investigated = await inquest(
      'investigate',
      'Why are the checkouts failing?',
      '--source',
      'checkout-pool-exhaustion',
      '--json',
    );
    expect(investigated.code).toBe(0);
    const { caseId, report } = lastLine(investigated.stdout) as CaseView;
    const evidence = await inquest('evidence', caseId, report?.analyses[0]?.toolCallIds[0] ?? '');
    expect(evidence).toMatchObject({ code: 0, stderr: '' });
    expect(evidence.stdout).toContain('(checked)');
    expect((await inquest('evidence', caseId, 'tc-99-9')).code).toBe(2);
  });

  it('follows a run that has ended, and lists it', async () => {
    const watched = await inquest('runs', 'watch', runId);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toMatch(/released[\s\S]*Sources/);
    const list = await waitFor('the list', async () => {
      const { stdout } = await inquest('runs', 'list', '--json');
      const { runs } = RunList.parse(lastLine(stdout));
      return runs.some((run) => run.runId === runId && run.outcome === 'SUCCESS') || undefined;
    });
    expect(list).toBe(true);
  });

  it('replies to what is no incident with the constant reply', async () => {
    const { code, stdout } = await inquest('ask', 'Write me a poem about cats', '--json');
    expect(code).toBe(0);
    expect(lastLine(stdout)).toMatchObject({ intent: 'OUT_OF_SCOPE', outcome: 'SUCCESS', reply: {} });
  });

  it('answers from the runbooks without a source, and says before the wait that nothing else is read', async () => {
    const { code, stdout, stderr } = await inquest(
      'ask',
      'How do I find the sessions that hold a Postgres connection pool?',
      '--json',
    );
    expect(code).toBe(0);
    expect(lastLine(stdout)).toMatchObject({ intent: 'KNOWLEDGE_QUERY', outcome: 'SUCCESS' });
    const [first] = stderr.split('\n');
    expect(first).toMatch(
      /^no source is named.* --source checkout-pool-exhaustion or --source quiet-evening$/,
    );
  });

  it('asks about the source that is named', async () => {
    const args = ['ask', 'Is anything wrong tonight?', '--source', 'quiet-evening', '--json'];
    const { code, stdout, stderr } = await inquest(...args);
    expect(code).toBe(0);
    expect(lastLine(stdout)).toMatchObject({ intent: 'DIAGNOSIS', outcome: 'SUCCESS' });
    expect(stderr).not.toContain('no source is named');
  });

  it('turns Ctrl-C into a cancellation, whose ending it shows, and exits with 5', async () => {
    const diagnosis = begin('diagnose');
    await waitFor('the run', () => diagnosis.text().includes('run ') || undefined);
    diagnosis.interrupt();
    const { code, stdout } = await diagnosis.ended;
    expect(stdout).toMatch(/cancelled +PERSON[\s\S]*Cancelled/);
    expect(code).toBe(5);
  });

  it('uses what runs already, and finds it healthy and small', async () => {
    const again = await inquest('start');
    expect(again.stdout).toContain('It was running already');
    const { code, stdout } = await inquest('doctor', '--json');
    const { checks, memory } = lastLine(stdout) as {
      checks: { name: string; state: string }[];
      memory: { pssMb: number | null };
    };
    expect(checks.filter(({ state }) => state !== 'good')).toEqual([]);
    expect(code).toBe(0);
    // PSS divides shared pages among those that share them: what all processes together really hold.
    expect(memory.pssMb ?? 0).toBeLessThan(700);
  });

  it('switches the entry back and forth durably', async () => {
    expect((await inquest('cutover', 'rollback')).stdout).toMatch(/^rolled back at/);
    const refused = await waitFor('the gate', async () => {
      const { code, stderr } = await inquest('ask', 'Why?');
      return code === 1 ? stderr : undefined;
    });
    expect(refused).toContain('not switched on');
    expect((await inquest('cutover')).stdout).toMatch(/^cut over at .*rule set/);
    expect((await inquest('cutover', 'status')).stdout).toMatch(/^cut over at/);
  });
});

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { hashOf } from '@inquest/contracts/canonical-json';
import { canaryRecorded, serviceAnnounced } from '@inquest/contracts/platform-facts';
import { startScriptedModel, type ScriptedModel } from '@inquest/testing/scripted-model';
import { scriptedRun } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import { CANARIES_HASH } from '../../apps/semantic-guard/src/canary/canaries';
import { JUDGE_V1 } from '../../apps/semantic-guard/src/prompts/judge-v1';
import { problemKind } from './support/api';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '../..');

/** The judge has an endpoint of its own, and it supports whatever it is shown: a canary tells. */
let judge: ScriptedModel;
let the: TheStack;
beforeAll(async () => {
  judge = await startScriptedModel(scriptedRun({ canaries: 'FAIL' }));
  the = await startTheStack({ env: { JUDGE_BASE_URL: judge.url, JUDGE_API_KEY: 'sk-of-the-judge' } });
});
afterAll(async () => {
  await the?.stop();
  await judge.close();
});

const doctor = (): Promise<{ code: number | null; stdout: string }> => {
  const env = { PATH: process.env['PATH'], INQUEST_DATA_DIR: join(the.scratch, 'data'), LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [join(ROOT, 'tools/run.mjs'), 'doctor', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout })));
};

describe('a judge that fails its canaries', () => {
  it('closes the entry, with a reason and a time to come back', async () => {
    const answer = await the.api.send('POST', '/v1/runs', { body: { question: 'Why?', detached: true } });
    expect([answer.status, problemKind(answer)]).toEqual([503, 'guards-unavailable']);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.text).toContain('canaries');
  });

  it('is seen in readiness', async () => {
    const ready = await the.api.send('GET', '/readyz');
    expect(JSON.parse(ready.text)).toEqual({
      status: 'ready',
      checks: { log: 'up', readModel: 'up', guards: 'down' },
    });
  });

  it('is seen in the system view, which says which canary it was', async () => {
    const view = JSON.parse((await the.api.send('GET', '/v1/system')).text) as {
      judgeHealthy: boolean;
      entry: { path: string };
      services: unknown[];
    };
    expect(view).toMatchObject({
      judgeHealthy: false,
      entry: { path: 'REFUSED', refusal: 'guards-unavailable' },
    });
    const guards = view.services
      .map((fact) => serviceAnnounced.schema.parse(fact))
      .filter(({ judge: told }) => told);
    expect(guards).toMatchObject([
      { judge: { healthy: false, why: expect.stringContaining('injection') as string } },
    ]);
  });

  it('is an event of the log: the record of its canaries', async () => {
    const hash = hashOf([judge.url, 'scripted-judge', JUDGE_V1.hash, CANARIES_HASH]);
    const message = await waitFor('the record', () => the.log.log.readLast(`ctl.canary.${hash}`, 'leader'));
    expect(canaryRecorded.schema.parse(message.data)).toMatchObject({
      state: 'UNHEALTHY',
      why: expect.stringContaining('injection') as string,
    });
  });

  it('is what the doctor finds', async () => {
    const { code, stdout } = await doctor();
    const { checks } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as {
      checks: { name: string; state: string; text: string }[];
    };
    expect(code).toBe(1);
    expect(checks.filter(({ state }) => state === 'bad').map(({ name }) => name)).toEqual(['judge', 'entry']);
    expect(checks.find(({ name }) => name === 'judge')?.text).toContain('injection');
  });

  it('was asked at its own endpoint, with its own key; the author’s was asked nothing', () => {
    expect(judge.requests.length).toBeGreaterThanOrEqual(4);
    for (const { headers } of judge.requests) expect(headers.authorization).toBe('Bearer sk-of-the-judge');
    expect(the.model.requests).toEqual([]);
  });
});

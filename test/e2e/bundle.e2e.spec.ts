import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { Explanation } from '@inquest/contracts/explanation';
import type { RunView } from '@inquest/contracts/run-view';
import { verifyBundle } from '@inquest/evidence-bundle/verify-bundle';
import { problemKind, type Api } from './support/api';
import { holdModelCall } from './support/hold';
import { sharedRuns, textsOfRun, withoutConstants } from './support/leaks';
import { rowOf } from './support/read-model';
import { drafting } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(90_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };
const TOKENS = [
  { name: 'asker', tenant: 'local', scopes: ['ask'] },
  { name: 'auditor', tenant: 'local', scopes: ['audit'] },
] as const;
const CLI = join(__dirname, '../../apps/cli/dist/main.js');

type Ended = { code: number | null; stdout: string; stderr: string };

const run = (args: string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
    child.on('close', (code) => resolve({ code, ...text }));
  });

const explanationOf = async (
  api: Api,
  runId: string,
): Promise<{ text: string; explanation: Explanation }> => {
  const { status, text } = await api.send('GET', `/v1/runs/${runId}/explanation`);
  if (status !== 200) throw new Error(`explanation: ${status} ${text}`);
  return { text, explanation: Explanation.parse(JSON.parse(text)) };
};

/** Every text of a report that a person reads. */
const textsOf = ({ report }: RunView): string[] => [
  report?.conclusion.text ?? '',
  ...(report?.analyses ?? []).map(({ text }) => text),
  ...(report?.actionPlan ?? []).map(({ text }) => text),
  ...(report?.recommendations ?? []).map(({ text }) => text),
  ...(report?.limitations ?? []).map(({ text }) => text),
  ...(report?.candidates ?? []).map(({ cause }) => cause),
];

describe('a report of the offline analyst', () => {
  let the: TheStack;
  let dir: string;
  let view: RunView;

  beforeAll(async () => {
    the = await startTheStack({ offline: true, tokens: TOKENS });
    dir = mkdtempSync(join(tmpdir(), 'inquest-bundle-'));
    view = await the.apiAs('asker').askAndEnd(SOURCE);
  });
  afterAll(async () => {
    await the?.stop();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  const inquest = (holder: string, ...args: string[]): Promise<Ended> =>
    run(args, dir, { INQUEST_URL: the.stack.gatewayUrl, INQUEST_TOKEN: the.stack.tokens[holder] ?? '' });
  const bundleOf = async (runId: string): Promise<string> =>
    (await the.api.send('GET', `/v1/runs/${runId}/bundle`)).text;
  /** Without a gateway, a token, or anything else to ask. */
  const offline = (...args: string[]): Promise<Ended> => run(args, dir);

  it('becomes one signed file that holds in every check, with no server', async () => {
    expect(view.outcome).toBe('SUCCESS');
    expect((await offline('keys', 'signing')).code).toBe(0);
    const made = await inquest(
      'auditor',
      'bundle',
      view.runId,
      '--out',
      'run.json',
      '--sign',
      'signing.key',
      '--json',
    );
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ outcome: 'SUCCESS', holds: true, missing: [] });
    const checked = await offline('verify', 'run.json', '--key', 'signing.pub', '--json');
    expect(checked.code).toBe(0);
    const { checks, ...found } = JSON.parse(checked.stdout) as {
      checks: { check: string; holds: unknown }[];
    };
    expect(checks.filter(({ holds }) => holds !== true)).toEqual([]);
    expect(checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'The EvidenceGuard, run again here, passes the report',
        'It freezes the same snapshot again, byte for byte',
        'The SemanticGuard found every item of these bytes supported',
      ]),
    );
    expect(found).toMatchObject({
      holds: true,
      reportHash: view.reportHash,
      snapshotHash: view.snapshotHash,
    });
  });

  it('is found out at one flipped byte, wherever it is', async () => {
    const bytes = readFileSync(join(dir, 'run.json'));
    const places = Array.from({ length: 24 }, (_, i) => Math.floor((i * (bytes.length - 1)) / 23));
    for (const at of places) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      expect({ at, holds: verifyBundle(flipped).holds }).toEqual({ at, holds: false });
    }
    const flipped = Uint8Array.from(bytes);
    flipped[bytes.indexOf('analyses')] = 0x41;
    writeFileSync(join(dir, 'flipped.json'), flipped);
    writeFileSync(join(dir, 'flipped.json.sig'), readFileSync(join(dir, 'run.json.sig')));
    const { code, stdout } = await offline('verify', 'flipped.json', '--key', 'signing.pub');
    expect(code).toBe(1);
    expect(stdout).toContain('This file does not hold.');
    expect(stdout).toMatch(/FAILS {2}The file is signed by the holder of the given key/);
  });

  it('is the same file once the row is written, and for an operator', async () => {
    await rowOf(the, view.runId);
    expect((await inquest('local-operator', 'bundle', view.runId, '--out', 'again.json')).code).toBe(0);
    expect(readFileSync(join(dir, 'again.json')).equals(readFileSync(join(dir, 'run.json')))).toBe(true);
  });

  it('is bundled for nobody who only asks', async () => {
    const refused = await the.apiAs('asker').send('GET', `/v1/runs/${view.runId}/bundle`);
    expect([refused.status, problemKind(refused)]).toEqual([403, 'forbidden']);
    const { code, stderr } = await inquest('asker', 'bundle', view.runId);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/operate, audit/) as unknown });
  });

  it('is explained sentence by sentence to who asked, from evidence that they may open', async () => {
    const asker = the.apiAs('asker');
    const { explanation } = await explanationOf(asker, view.runId);
    if (explanation.outcome !== 'SUCCESS') throw new Error(`it is ${explanation.outcome}`);
    const told = explanation.items.map(({ sentences }) => sentences.map(({ text }) => text).join(' '));
    const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
    expect(told.map(plain)).toEqual(textsOf(view).map(plain));
    for (const { id, sentences, grounds, analysisIds, rules, judge } of explanation.items) {
      const carried = [...sentences.flatMap((sentence) => sentence.grounds), ...grounds];
      // A limitation may speak of a call that had no output.
      expect({ id, isCarried: id.startsWith('l') || carried.length > 0 || analysisIds.length > 0 }).toEqual({
        id,
        isCarried: true,
      });
      expect(rules.length).toBeGreaterThan(0);
      expect(judge?.verdict).toBe('SUPPORTED');
    }
    const cited = new Set(
      explanation.items
        .flatMap(({ sentences, grounds }) => [...sentences.flatMap((s) => s.grounds), ...grounds])
        .flatMap((ground) =>
          (ground.kind === 'DERIVED' ? ground.operands : [ground]).map(({ toolCallId }) => toolCallId),
        ),
    );
    for (const toolCallId of cited) await asker.evidence(view.runId, toolCallId);
  });

  it('has each quote where the explanation says that it begins', async () => {
    const { explanation } = await explanationOf(the.apiAs('asker'), view.runId);
    if (explanation.outcome !== 'SUCCESS') throw new Error(`it is ${explanation.outcome}`);
    const quotes = explanation.items.flatMap(({ sentences, grounds }) =>
      [...sentences.flatMap((sentence) => sentence.grounds), ...grounds].flatMap((ground) =>
        ground.kind === 'QUOTE' ? [ground] : [],
      ),
    );
    expect(quotes.length).toBeGreaterThan(0);
    for (const { toolCallId, quote, offset } of quotes) {
      const { projection } = await the.api.evidence(view.runId, toolCallId);
      const there = (projection.inline ?? '').slice(offset ?? 0);
      expect(there.startsWith(JSON.stringify(quote).slice(1, -1))).toBe(true);
    }
  });

  it('answers a knowledge question from documents, which its explanation names', async () => {
    const question = 'What do I do when a Postgres connection pool is exhausted?';
    const answered = await the.apiAs('asker').askAndEnd({ question });
    expect(answered).toMatchObject({ outcome: 'SUCCESS', intent: 'KNOWLEDGE_QUERY' });
    const { explanation } = await explanationOf(the.apiAs('asker'), answered.runId);
    if (explanation.outcome !== 'SUCCESS') throw new Error(`it is ${explanation.outcome}`);
    expect(explanation.items.map(({ id }) => id)).toEqual(answered.answer?.items.map(({ id }) => id));
    for (const { sentences, grounds } of explanation.items) {
      const carried = [...sentences.flatMap((sentence) => sentence.grounds), ...grounds];
      expect(carried).toContainEqual(
        expect.objectContaining({
          kind: 'DOCUMENT',
          versionHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
          rules: expect.arrayContaining(['39 RAG_DOC_ID']) as unknown,
        }),
      );
    }
    expect(verifyBundle(await bundleOf(answered.runId))).toMatchObject({ holds: true });
  });

  it('is a constant reply to what is no incident, which needs no evidence', async () => {
    const replied = await the.apiAs('asker').askAndEnd({ question: 'Write me a poem about cats' });
    const { explanation } = await explanationOf(the.apiAs('asker'), replied.runId);
    expect(explanation).toMatchObject({ outcome: 'SUCCESS', form: 'OUT_OF_SCOPE_REPLY', items: [] });
    expect(verifyBundle(await bundleOf(replied.runId))).toMatchObject({
      holds: true,
      bundle: { report: null },
    });
  });

  it('is explained on the terminal', async () => {
    const { code, stdout } = await inquest('asker', 'explain', view.runId);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Released: REPORT[\s\S]*held by rules? \d+[\s\S]*judge: SUPPORTED[\s\S]*Sources[\s\S]*Rules/,
    );
  });

  it('outlives the log: what the archive keeps is bundled and checked, and what it does not is named', async () => {
    const before = verifyBundle(await bundleOf(view.runId)).bundle;
    const { partition, chain } = the.log.subjects(view.runId);
    await the.log.purge(`DIAG_${partition}`, chain.replace(/run$/, '>'));
    const after = verifyBundle(await bundleOf(view.runId));
    expect(after.checks.filter(({ holds }) => holds === false)).toEqual([]);
    expect(after.bundle?.excerpt.every(({ from }) => from === 'ARCHIVE')).toBe(true);
    expect(after.bundle).toMatchObject({ report: before?.report, snapshot: before?.snapshot });
    expect(after.bundle?.ledger).toEqual(before?.ledger);
    expect(after.bundle?.excerpt.map(({ dataHash }) => dataHash)).toEqual(
      before?.excerpt.map(({ dataHash }) => dataHash),
    );
    const unknown = after.checks.filter(({ holds }) => holds === null).map(({ check }) => check);
    expect(unknown).toContain('Nothing of the run is missing');
    expect(unknown).not.toContain('The EvidenceGuard, run again here, passes the report');
    expect(after.bundle?.manifest.missing).toContainEqual(expect.stringMatching(/^res\.semantic\./));
    expect((await explanationOf(the.apiAs('asker'), view.runId)).explanation).toMatchObject({
      outcome: 'SUCCESS',
    });
  });
});

/** Members that the contract of a draft knows; anything else in a place was somebody's text. */
const PLACE =
  /"(?:\/(?:conclusion|status|text|analyses|analysisIds|id|kind|toolCallIds|toolCallId|scope|facts|value|path|policy|unit|quotes|quote|entities|name|type|derived|op|operands|actionPlan|recommendations|limitations|candidates|cause|object|\d+|\*))+"/g;

describe('a run that fell back', () => {
  let the: TheStack;
  beforeAll(async () => {
    the = await startTheStack({ tokens: TOKENS });
  });
  afterAll(() => the?.stop());

  const MADE_UP = 'the walrus said that the disk is full';
  const spoiling = () =>
    drafting((draft) => JSON.stringify({ ...draft, [MADE_UP]: 'and nobody believed it' }));

  const bare = (text: string, view: RunView): string =>
    withoutConstants(text, view)
      .replaceAll(PLACE, '|')
      .replaceAll(/"\d+ [A-Z_]+"/g, '|')
      .replaceAll(`"${RULE_SET}"`, '|');

  it('tells who asked the rules, places and counts, and nothing that its author wrote', async () => {
    const { script, texts } = spoiling();
    the.model.play(script);
    const view = await the.api.askAndEnd({ ...SOURCE, question: 'What is wrong?' });
    expect(view.fallback?.type).toBe('EVIDENCE_VALIDATION_FAILED');
    const { text, explanation } = await explanationOf(the.apiAs('asker'), view.runId);
    const failed = [{ ruleId: '1 SCHEMA', count: 1, places: ['/*'] }];
    expect(explanation).toMatchObject({
      outcome: 'FALLBACK',
      drafts: [
        { revision: 1, verdict: 'REJECTED', violations: 1, failed },
        { revision: 2, verdict: 'REJECTED', violations: 1, failed },
      ],
    });
    expect(text).not.toContain('walrus');
    const hidden = [...texts, ...(await textsOfRun(the.log, view.runId))];
    expect(sharedRuns(bare(text, view), hidden)).toEqual([]);
    const auditor = await explanationOf(the.apiAs('auditor'), view.runId);
    expect(auditor.text).toBe(text);
  });

  it('shows an operator the rejected draft, with each violation in its place', async () => {
    const { script, texts } = spoiling();
    the.model.play(script);
    const view = await the.api.askAndEnd(SOURCE);
    const { explanation } = await explanationOf(the.api, view.runId);
    expect(explanation.drafts.map(({ draft }) => draft?.text)).toEqual(texts);
    expect(explanation.drafts[0]?.draft?.violations).toMatchObject([
      { ruleId: '1 SCHEMA', path: `/${MADE_UP}`, stands: '"and nobody believed it"' },
    ]);
  });

  it.each([
    ['a draft that states what its evidence does not hold', { badDrafts: 2 as const }],
    ['a judge that finds an item unsupported', { judge: ['UNSUPPORTED' as const] }],
    ['a judge that is away', { judge: ['ERROR_500' as const] }],
  ])('after %s: leaks nothing, and its bundle holds', async (_, knobs) => {
    the.play(knobs);
    const view = await the.api.askAndEnd({ ...SOURCE, question: 'What is wrong?' });
    expect(view.outcome).toBe('FALLBACK');
    const { text } = await explanationOf(the.apiAs('asker'), view.runId);
    expect(sharedRuns(bare(text, view), await textsOfRun(the.log, view.runId))).toEqual([]);
    const { text: file } = await the.apiAs('auditor').send('GET', `/v1/runs/${view.runId}/bundle`);
    const { holds, checks, bundle } = verifyBundle(file);
    expect(checks.filter((check) => check.holds === false)).toEqual([]);
    expect({ holds, report: bundle?.report, outcome: bundle?.manifest.outcome }).toEqual({
      holds: true,
      report: null,
      outcome: 'FALLBACK',
    });
  });

  it('is told apart from a failed one, whose bundle holds as well', async () => {
    the.play({ router: ['ERROR_500'] });
    const view = await the.api.askAndEnd(SOURCE);
    expect((await explanationOf(the.apiAs('asker'), view.runId)).explanation).toMatchObject({
      outcome: 'FAILED',
      reason: 'ROUTER_UNAVAILABLE',
      drafts: [],
    });
    const { text: file } = await the.api.send('GET', `/v1/runs/${view.runId}/bundle`);
    expect(verifyBundle(file)).toMatchObject({ holds: true, bundle: { manifest: { outcome: 'FAILED' } } });
  });

  it('has its constant answer where a lookup found nothing, or no answer where somebody cancelled', async () => {
    the.play({ intent: 'KNOWLEDGE_QUERY' });
    const empty = await the.api.askAndEnd({ question: 'xyzzy plugh frobozz' });
    expect((await explanationOf(the.api, empty.runId)).explanation).toMatchObject({
      outcome: 'SUCCESS',
      form: 'ANSWER',
      items: [],
    });
    const held = holdModelCall('judge');
    the.play({ intercept: held.intercept });
    const { runId } = await the.api.ask(SOURCE);
    await held.reached;
    await the.api.cancel(runId);
    await the.api.ended(runId);
    held.release();
    expect((await explanationOf(the.apiAs('asker'), runId)).explanation).toMatchObject({
      outcome: 'CANCELLED',
      cause: 'PERSON',
    });
    for (const id of [empty.runId, runId]) {
      const { text: file } = await the.api.send('GET', `/v1/runs/${id}/bundle`);
      const { holds, checks } = verifyBundle(file);
      expect(checks.filter((check) => check.holds === false)).toEqual([]);
      expect(holds).toBe(true);
    }
  });

  it('was repaired: the report is released, and the first draft stays with the operators', async () => {
    the.play({ badDrafts: 1 });
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('SUCCESS');
    const told = (await explanationOf(the.apiAs('asker'), view.runId)).explanation;
    expect(told.drafts).toMatchObject([{ verdict: 'REJECTED' }, { verdict: 'ACCEPTED', violations: 0 }]);
    expect(told.drafts.some(({ draft }) => draft !== undefined)).toBe(false);
    const seen = (await explanationOf(the.api, view.runId)).explanation;
    expect(seen.drafts[0]?.draft?.text).toContain('"analyses"');
    const { text: file } = await the.api.send('GET', `/v1/runs/${view.runId}/bundle`);
    expect(verifyBundle(file).holds).toBe(true);
  });
});

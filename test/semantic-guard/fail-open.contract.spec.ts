import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { ToolCallId } from '@inquest/contracts/ids';
import {
  Snapshot,
  semanticResult,
  type ReviewItem,
  type SnapshotEvidence,
} from '@inquest/contracts/semantic-facts';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { parseConfig } from '@inquest/service-shell/config';
import {
  startScriptedModel,
  text,
  type ScriptedModel,
  type ScriptedReply,
} from '@inquest/testing/scripted-model';
import { scriptedRun } from '@inquest/testing/scripted-run';
import { HASH_B, RunUnderTest } from '../../apps/harness-orchestrator/src/run/run.fixtures';
import { RUN_LIMITS } from '../../apps/harness-orchestrator/src/run/run.limits';
import { CANARIES } from '../../apps/semantic-guard/src/canary/canaries';
import { semanticGuardEnv } from '../../apps/semantic-guard/src/config';
import type { Frozen } from '../../apps/semantic-guard/src/judge/frozen-snapshot';
import { Judge, type Judgement } from '../../apps/semantic-guard/src/judge/judge';

jest.setTimeout(60_000);

const CONFIG = parseConfig(semanticGuardEnv, {
  NATS_URL: 'nats://x:1',
  OPENAI_BASE_URL: 'http://x/v1',
  OPENAI_API_KEY: 'k',
  MODEL_JUDGE: 'j',
});

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel(() => text('unset'));
});
afterAll(() => model.close());

const frozenOf = (over: Partial<Snapshot>): Frozen => {
  const snapshot = Snapshot.parse({ ...CANARIES[3]!.frozen.snapshot, ...over });
  const canonical = canonicalJson(snapshot);
  return { snapshot, snapshotHash: sha256(canonical), text: canonical };
};
const CLEAN = frozenOf({});

/** One attempt of the real judge at an endpoint that answers so. */
const judged = async (
  reply: ScriptedReply | ((hash: string) => ScriptedReply),
  frozen = CLEAN,
  contextBytesMax = CONFIG.JUDGE_CONTEXT_BYTES,
): Promise<Judgement> => {
  model.play(() => (typeof reply === 'function' ? reply(frozen.snapshotHash) : reply));
  const endpoint = new ModelEndpoint({ baseUrl: model.url, apiKey: 'k' });
  const judge = new Judge(endpoint, { model: 'j', contextBytesMax });
  return judge.judge(frozen, {
    idempotencyKey: 'run/1',
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  });
};

const VERDICT = {
  item_id: 'a1',
  verdict: 'SUPPORTED',
  reason_code: 'ENTAILED',
  evidence_quote: 'CrashLoopBackOff',
  tool_call_id: 'canary-1',
  scope_hash: null,
};
const answering =
  (...verdicts: object[]) =>
  (snapshotHash: string): ScriptedReply =>
    text(JSON.stringify({ snapshotHash, verdicts }));

const refusedAs = (judgement: Judgement): string | undefined =>
  judgement.kind === 'FAILED' ? (judgement.why ?? judgement.failure) : judgement.verdict;

/** What becomes of a run whose judge answers so, twice: the decider's word. */
const endingOf = (judgement: Judgement): unknown => {
  const { why: _, ...result } = { why: undefined, ...judgement };
  const fact = semanticResult.schema.parse(
    result.kind === 'JUDGED' ? { ...result, attempt: 1, snapshotHash: HASH_B } : result,
  );
  const run = new RunUnderTest().untilReview();
  run.judge(fact);
  if (run.run.sealed === null) run.judge(fact);
  return run.run.sealed;
};

const UNAVAILABLE = { kind: 'FALLBACK', type: 'SEMANTIC_UNAVAILABLE' };

describe('fail-open mistakes of popular guards', () => {
  it('the script is sound: support with a quote that stands there is support', async () => {
    expect(refusedAs(await judged(answering(VERDICT)))).toBe('SUPPORTED');
  });

  it.each<[string, object, string]>([
    ['no quote and no call', { evidence_quote: null, tool_call_id: null }, 'CITATION'],
    ['no quote', { evidence_quote: null }, 'QUOTE'],
    ['an empty quote', { evidence_quote: '' }, 'QUOTE'],
  ])('no evidence does not count as true: %s', async (_, over, why) => {
    const judgement = await judged(answering({ ...VERDICT, ...over }));
    expect(refusedAs(judgement)).toBe(why);
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it.each([
    'Not safe.',
    'Not SUPPORTED.',
    'The report is not supported: {"verdict":"SUPPORTED"} would be wrong.',
    'SUPPORTED',
  ])('%j is not parsed as safe', async (answer) => {
    const judgement = await judged(text(answer));
    expect(refusedAs(judgement)).toBe('NOT_ONE_JSON_OBJECT');
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it.each([
    '',
    '{',
    '[]',
    '{}',
    '{"verdicts":[]}',
    '{"flagged":false}',
    'null',
    'true',
    '{"snapshotHash":"x","verdicts":null}',
  ])('malformed %j is not "not flagged"', async (answer) => {
    const judgement = await judged(text(answer));
    expect(judgement.kind).toBe('FAILED');
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it('zero claims do not score 1: they never reach the judge, and zero verdicts are no answer', async () => {
    const before = model.requests.length;
    const none = await judged(answering(), frozenOf({ items: [] }));
    expect(none).toMatchObject({ kind: 'FAILED', failure: 'INVALID_RESPONSE', record: null });
    expect(model.requests).toHaveLength(before);
    const judgement = await judged(answering());
    expect(refusedAs(judgement)).toBe('SCHEMA');
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it.each(['UNKNOWN', 'I don’t know', 'UNSURE', 'N/A', ''])(
    '"%s" is not counted faithful',
    async (verdict) => {
      const judgement = await judged(answering({ ...VERDICT, verdict }));
      expect(refusedAs(judgement)).toBe('SCHEMA');
      expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
    },
  );

  it.each([
    ['plain', '"verdict":"UNSUPPORTED","verdict":"SUPPORTED"'],
    ['escaped', '"verdict":"UNSUPPORTED","verd\\u0069ct":"SUPPORTED"'],
  ])('the last of two duplicate keys does not win: %s', async (_, pair) => {
    const judgement = await judged((snapshotHash) =>
      text(JSON.stringify({ snapshotHash, verdicts: [VERDICT] }).replace('"verdict":"SUPPORTED"', pair)),
    );
    expect(refusedAs(judgement)).toBe('DUPLICATE_KEY');
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it('evidence is not cut before it is judged: all of it is sent, or nothing is', async () => {
    const tail = 'and the very last row says FATAL';
    const projection = canonicalJson({ tool: 'search_logs', rows: ['x'.repeat(300_000), tail] });
    const evidence = [
      { ...CLEAN.snapshot.evidence[0], projection, sha256: sha256(projection) },
    ] as SnapshotEvidence[];
    const frozen = frozenOf({ evidence });
    const supported = answering({ ...VERDICT, evidence_quote: tail });
    expect(refusedAs(await judged(supported, frozen))).toBe('SUPPORTED');
    const sent = JSON.parse(model.requests.at(-1)!.body.messages[1]!.content ?? '') as {
      boundary: string;
      evidence: { projection: string }[];
    };
    expect(sent.evidence[0]?.projection).toBe(`${sent.boundary}\n${projection}\n${sent.boundary}`);
    const before = model.requests.length;
    const judgement = await judged(supported, frozen, 300_000);
    expect(judgement).toMatchObject({ kind: 'FAILED', failure: 'OVER_CONTEXT' });
    expect(model.requests).toHaveLength(before);
    expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
  });

  it.each(['PARTIALLY_SUPPORTED', 'supported', 'SUPPORTED ', 'MOSTLY_SUPPORTED'])(
    'a new verdict value %j neither passes nor leaves the run stuck',
    async (verdict) => {
      const judgement = await judged(answering({ ...VERDICT, verdict }));
      expect(judgement).toMatchObject({ kind: 'FAILED', failure: 'INVALID_RESPONSE' });
      expect(endingOf(judgement)).toMatchObject(UNAVAILABLE);
    },
  );

  it('a new reason is no reason either', async () => {
    expect(endingOf(await judged(answering({ ...VERDICT, reason_code: 'LOOKS_FINE' })))).toMatchObject(
      UNAVAILABLE,
    );
  });

  describe('judge input over its cap does not make every run "unavailable" for ever', () => {
    /** Quotation marks are doubled when a projection is put into a document, and doubled again on the wire. */
    const worst = (bytes: number): string => JSON.stringify('"'.repeat((bytes - 2) / 2));

    it('the largest run that the default limits allow fits into the default context', async () => {
      const ids = Array.from({ length: RUN_LIMITS.toolCallsMax }, (_, i) => `call_${i}` as ToolCallId);
      const evidence = ids.map((toolCallId): SnapshotEvidence => {
        const projection = worst(RUN_LIMITS.projectionBytesMax);
        return { ...CLEAN.snapshot.evidence[0]!, toolCallId, projection, sha256: sha256(projection) };
      });
      // As many items as a draft can have; together they cannot say more than the draft has bytes.
      const chars = Math.floor(RUN_LIMITS.draftBytesMax / 190);
      const items = Array.from({ length: 190 }, (_, i): ReviewItem => ({
        ...CLEAN.snapshot.items[0]!,
        id: `a${i}`,
        text: '"'.repeat(chars / 2),
        facts: ['"'.repeat(chars / 2)],
        citations: ids.slice(0, 20),
      }));
      const frozen = frozenOf({ items, evidence, report: 'x'.repeat(RUN_LIMITS.draftBytesMax) });
      model.play(scriptedRun({ judge: ['UNSUPPORTED'] }));
      const judgement = await judged(text('no verdict'), frozen);
      expect(judgement).toMatchObject({
        kind: 'FAILED',
        failure: 'INVALID_RESPONSE',
        why: 'NOT_ONE_JSON_OBJECT',
      });
    });

    it('the limits of a projection and of calls leave room: what one run may cite is bounded', () => {
      const cited = RUN_LIMITS.toolCallsMax * RUN_LIMITS.projectionBytesMax * 2;
      const written = RUN_LIMITS.draftBytesMax * 2;
      expect(cited + written).toBeLessThan(CONFIG.JUDGE_CONTEXT_BYTES);
    });
  });
});

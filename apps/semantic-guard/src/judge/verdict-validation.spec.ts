import { canonicalJson, hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot, semanticResult, type ReviewItem } from '@inquest/contracts/semantic-facts';
import { validateVerdicts } from './verdict-validation';

const HASH = 'a'.repeat(64);

const item = (over: Partial<ReviewItem>): ReviewItem => ({
  id: 'a1',
  section: 'analysis',
  kind: 'OBSERVATION',
  text: 'The pod restarts.',
  facts: [],
  scope: null,
  citations: [],
  analysisIds: [],
  flags: [],
  ...over,
});

const projection = canonicalJson({
  tool: 'list_objects',
  rows: [{ name: 'cart-1', note: 'said “back-off”   restarting' }, { name: '[REDACTED:token:ab12] cart-2' }],
});
const SCOPE = { service: 'cart' };

const snapshot = Snapshot.parse({
  schema: 'inquest.snapshot.v1',
  runId: '00000000-0000-8000-8000-000000000000',
  intent: 'DIAGNOSIS',
  revision: 1,
  question: 'q',
  report: '{}',
  reportHash: HASH,
  ruleSet: 'r',
  items: [
    item({ id: 'a1', citations: ['c1'] }),
    item({ id: 'a2', kind: 'NEGATIVE_OBSERVATION', citations: ['c2'], scope: SCOPE }),
    item({ id: 'conclusion', section: 'conclusion', kind: null, analysisIds: ['a1', 'a2'] }),
    item({ id: 'r1', section: 'recommendation', kind: null, analysisIds: ['a2'] }),
    item({ id: 'l1', section: 'limitation', kind: null, citations: ['c3'] }),
  ],
  evidence: ['c1', 'c2', 'c3'].map((toolCallId) => {
    const text = toolCallId === 'c1' ? projection : canonicalJson({ tool: 'search_logs', matched: 0 });
    return {
      toolCallId,
      tool: 't',
      scope: {},
      window: null,
      evidenceStatus: 'EVIDENCE_FOUND',
      truncated: false,
      sha256: sha256(text),
      projection: text,
    };
  }),
});

const yes = {
  verdict: 'SUPPORTED',
  reason_code: 'ENTAILED',
  evidence_quote: null,
  tool_call_id: null,
  scope_hash: null,
};
const GOOD = {
  a1: { ...yes, item_id: 'a1', evidence_quote: '"name":"cart-1"', tool_call_id: 'c1' },
  a2: { ...yes, item_id: 'a2', tool_call_id: 'c2', scope_hash: hashOf(SCOPE) },
  conclusion: { ...yes, item_id: 'conclusion', evidence_quote: 'list_objects', tool_call_id: 'c1' },
  r1: { ...yes, item_id: 'r1', tool_call_id: 'c2' },
  l1: { ...yes, item_id: 'l1' },
};
type ItemId = keyof typeof GOOD;

const answer = (verdicts: unknown[] = Object.values(GOOD), over: object = {}) =>
  JSON.stringify({ snapshotHash: HASH, verdicts, ...over });
const with_ = (id: ItemId, over: object) =>
  answer(Object.values({ ...GOOD, [id]: { ...GOOD[id], ...over } }));
const validate = (text: string, finishReason: string | null = 'stop') =>
  validateVerdicts({ text, finishReason }, snapshot, HASH);
const whyOf = (text: string, finishReason?: string | null) => {
  const result = validate(text, finishReason);
  return result.kind === 'INVALID' ? result.why : result.verdict;
};

describe('the judge’s answer', () => {
  it('is SUPPORTED when every item is, with quotes that stand where they say', () => {
    const result = validate(answer());
    expect(result).toMatchObject({ kind: 'VALID', verdict: 'SUPPORTED' });
    const record = {
      model: 'm',
      startedAt: '2025-01-01T00:00:00Z',
      ms: 1,
      requestHash: HASH,
      rawHash: HASH,
      usage: null,
      finishReason: 'stop',
    };
    if (result.kind === 'VALID') {
      const { verdict, verdicts } = result;
      expect(
        semanticResult.schema.safeParse({
          kind: 'JUDGED',
          attempt: 1,
          snapshotHash: HASH,
          verdict,
          verdicts,
          record,
        }).error,
      ).toBeUndefined();
    }
  });

  it('may come in any order, fenced, or after thinking', () => {
    expect(whyOf(answer(Object.values(GOOD).reverse()))).toBe('SUPPORTED');
    expect(whyOf('```json\n' + answer() + '\n```')).toBe('SUPPORTED');
    expect(whyOf('<think>hm</think>' + answer())).toBe('SUPPORTED');
  });

  it.each<[string, string | null]>([
    ['no reason', null],
    ['length', 'length'],
    ['tool_calls', 'tool_calls'],
    ['content_filter', 'content_filter'],
  ])('counts only when the model stopped by itself: %s', (_, finishReason) => {
    expect(whyOf(answer(), finishReason)).toBe('NOT_STOPPED');
  });

  it.each<[string, string, string]>([
    ['prose', 'Everything is supported.', 'NOT_ONE_JSON_OBJECT'],
    ['two documents', answer() + answer(), 'NOT_ONE_JSON_OBJECT'],
    ['a document cut off', answer().slice(0, -2), 'NOT_ONE_JSON_OBJECT'],
    ['a verdict that was only thought', `<think>${answer()}</think>`, 'NOT_ONE_JSON_OBJECT'],
    ['a list', JSON.stringify(Object.values(GOOD)), 'SCHEMA'],
    ['an unknown key', answer(undefined, { confidence: 1 }), 'SCHEMA'],
    ['an unknown key in a verdict', with_('a1', { note: 'x' }), 'SCHEMA'],
    ['a missing member', answer([{ ...GOOD.a1, scope_hash: undefined }]), 'SCHEMA'],
    ['an unknown reason', with_('a1', { reason_code: 'FINE' }), 'SCHEMA'],
    ['another snapshot', answer(undefined, { snapshotHash: 'b'.repeat(64) }), 'OTHER_SNAPSHOT'],
    ['an item left out', answer([GOOD.a1, GOOD.a2, GOOD.conclusion, GOOD.r1]), 'ITEM_IDS'],
    ['an item twice', answer([...Object.values(GOOD), GOOD.a1]), 'ITEM_IDS'],
    [
      'an item twice in place of another',
      answer([GOOD.a1, GOOD.a2, GOOD.conclusion, GOOD.r1, GOOD.a1]),
      'ITEM_IDS',
    ],
    [
      'an item of its own',
      answer([GOOD.a1, GOOD.a2, GOOD.conclusion, GOOD.r1, { ...GOOD.l1, item_id: 'l2' }]),
      'ITEM_IDS',
    ],
    ['support for a reason that refuses', with_('a1', { reason_code: 'CONTRADICTED' }), 'REASON'],
  ])('is no verdict when it is %s', (_, text, why) => {
    expect(whyOf(text)).toBe(why);
  });

  it.each<[string, string, string]>([
    ['invented', with_('a1', { evidence_quote: 'the pod is healthy' }), 'QUOTE'],
    ['in another case', with_('a1', { evidence_quote: 'LIST_OBJECTS' }), 'QUOTE'],
    ['too short', with_('a1', { evidence_quote: 'cart-1' }), 'QUOTE'],
    ['missing', with_('a1', { evidence_quote: null }), 'QUOTE'],
    ['over a redaction mark', with_('a1', { evidence_quote: '[REDACTED:token:ab12] cart-2' }), 'QUOTE'],
    ['of another call', with_('a1', { tool_call_id: 'c2' }), 'CITATION'],
    ['of no call', with_('a1', { tool_call_id: null }), 'CITATION'],
    ['of a call that no bound analysis cites', with_('conclusion', { tool_call_id: 'c3' }), 'CITATION'],
    ['given for a negative', with_('a2', { evidence_quote: 'search_logs' }), 'QUOTE'],
    ['missing where one bound analysis is positive', with_('conclusion', { evidence_quote: null }), 'QUOTE'],
  ])('a quote that is %s makes the answer invalid', (_, text, why) => {
    expect(whyOf(text)).toBe(why);
  });

  it.each<[string, string, string]>([
    ['no scope hash', with_('a2', { scope_hash: null }), 'SCOPE_ECHO'],
    ['another scope', with_('a2', { scope_hash: hashOf({}) }), 'SCOPE_ECHO'],
    ['no call', with_('a2', { tool_call_id: null }), 'CITATION'],
    ['another call', with_('a2', { tool_call_id: 'c1' }), 'CITATION'],
  ])('a negative with %s was not looked at', (_, text, why) => {
    expect(whyOf(text)).toBe(why);
  });

  it('quotes are compared after folding: form, quotation marks, white space', () => {
    expect(whyOf(with_('a1', { evidence_quote: 'said "back-off" restarting' }))).toBe('SUPPORTED');
  });

  it('is UNSUPPORTED, and valid, as soon as one item is', () => {
    const refused = {
      verdict: 'UNSUPPORTED',
      reason_code: 'OVERSTATED',
      evidence_quote: 'x'.repeat(3_000),
      tool_call_id: null,
      scope_hash: 'none',
    };
    const result = validate(with_('conclusion', refused));
    expect(result).toMatchObject({ kind: 'VALID', verdict: 'UNSUPPORTED' });
    expect(result.kind === 'VALID' && result.verdicts.find((v) => v.itemId === 'conclusion')).toMatchObject({
      scopeHash: null,
    });
  });

  describe('fail-open mistakes of popular guards', () => {
    it.each<[string, string, string]>([
      [
        'no evidence does not count as true',
        with_('a1', { evidence_quote: null, tool_call_id: null }),
        'CITATION',
      ],
      ['"Not safe." is not parsed as safe', 'Not safe.', 'NOT_ONE_JSON_OBJECT'],
      ['"Not supported." is not parsed as supported', 'Not SUPPORTED.', 'NOT_ONE_JSON_OBJECT'],
      ['malformed JSON is not "not flagged"', answer().replace('}', ''), 'NOT_ONE_JSON_OBJECT'],
      ['zero claims do not score 1', answer([]), 'SCHEMA'],
      ['"I don’t know" is not counted faithful', with_('a1', { verdict: 'UNKNOWN' }), 'SCHEMA'],
      ['a new verdict value is not let through', with_('a1', { verdict: 'PARTIALLY_SUPPORTED' }), 'SCHEMA'],
      ['an empty answer is none', '', 'NOT_ONE_JSON_OBJECT'],
      ['null is none', 'null', 'SCHEMA'],
    ])('%s', (_, text, why) => {
      expect(whyOf(text)).toBe(why);
    });

    it('the last of two duplicate keys does not win, however it is spelt', () => {
      const text = answer();
      expect(whyOf(text.replace('"item_id":"a1"', '"verdict":"UNSUPPORTED","item_id":"a1"'))).toBe(
        'DUPLICATE_KEY',
      );
      expect(whyOf(text.replace('"item_id":"a1"', '"verd\\u0069ct":"UNSUPPORTED","item_id":"a1"'))).toBe(
        'DUPLICATE_KEY',
      );
    });
  });
});

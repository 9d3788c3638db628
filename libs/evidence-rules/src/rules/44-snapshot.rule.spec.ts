import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { describeRuleOn, given } from '../../test/draft';
import { draftView } from '../draft-view';
import { freezeSnapshot } from '../snapshot';
import { frozenSnapshot } from './44-snapshot.rule';

const input = given();
const frozen = freezeSnapshot(draftView(input), [
  { ruleId: '35 SINGLE_UNTRUSTED_SOURCE', itemId: 'a2', note: 'x' },
]);
const { digests } = draftView(input).ledger;
/** As it is checked where it comes from elsewhere, and where it was frozen a moment ago. */
const check = (text: string, hash = sha256(text)) => [
  ...frozenSnapshot.check({ text, hash }, input.draftText),
  ...frozenSnapshot.checkFrozen(
    { text, hash, snapshot: JSON.parse(text) as Snapshot },
    input.draftText,
    digests,
  ),
];
const changed = (change: (snapshot: Snapshot) => unknown): string => {
  const copy = structuredClone(frozen.snapshot);
  change(copy);
  return canonicalJson(copy);
};

const SPOILT: Record<string, (snapshot: Snapshot) => unknown> = {
  'another report': (s) => (s.report = '{}'),
  'a report that is not its hash': (s) => (s.reportHash = sha256('x')),
  'two items of one id': (s) => s.items.push(...s.items.slice(0, 1)),
  'nothing to judge': (s) => (s.items = []),
  'a citation without evidence': (s) => s.evidence.shift(),
  'changed evidence': (s) => Object.assign(s.evidence[0] ?? {}, { projection: '{}' }),
};

describeRuleOn(frozenSnapshot, ({ text, hash }: { text: string; hash?: string }) => check(text, hash), {
  passes: { 'what was frozen': frozen },
  fails: {
    'another hash': { text: frozen.text, hash: sha256('x') },
    ...Object.fromEntries(Object.entries(SPOILT).map(([name, change]) => [name, { text: changed(change) }])),
    'another form': { text: '{}' },
  },
});

describe('what rule 44 freezes', () => {
  const checkFrozen = (change: (snapshot: Snapshot) => unknown) => {
    const snapshot = structuredClone(frozen.snapshot);
    change(snapshot);
    return [...frozenSnapshot.checkFrozen({ ...frozen, snapshot }, input.draftText, digests)];
  };

  it('is checked before it is released, without hashing all evidence again', () => {
    expect(checkFrozen(() => undefined)).toEqual([]);
    expect(checkFrozen((s) => Object.assign(s, { schema: 'other' }))).toHaveLength(1);
    for (const change of Object.values(SPOILT)) expect(checkFrozen(change).length).toBeGreaterThan(0);
  });

  it('is canonical', () => expect(canonicalJson(Snapshot.parse(JSON.parse(frozen.text)))).toBe(frozen.text));

  it('names every item once, in the order of the draft', () => {
    expect(frozen.snapshot.items.map(({ id }) => id)).toEqual([
      'c0',
      'a1',
      'a2',
      'a3',
      'p1',
      'r1',
      'l1',
      'd1',
    ]);
  });

  it('gives the judge what an item stands on', () => {
    const item = (id: string) => frozen.snapshot.items.find((i) => i.id === id);
    expect(item('c0')).toMatchObject({ kind: null, citations: [], analysisIds: ['a1', 'a2'] });
    expect(item('a1')).toMatchObject({
      kind: 'OBSERVATION',
      citations: ['call_logs'],
      analysisIds: [],
      scope: { service: 'checkout' },
    });
    expect(item('a1')?.facts).toContainEqual({
      toolCallId: 'call_logs',
      quote: 'connection pool exhausted: 25 of 25',
      offset: expect.any(Number) as number,
    });
    expect(item('a2')?.flags).toEqual(['attention: 35 SINGLE_UNTRUSTED_SOURCE']);
    expect(item('l1')).toMatchObject({ section: 'limitation', citations: ['call_pods'] });
  });

  it('holds the cited evidence byte for byte, and no other', () => {
    const quiet = freezeSnapshot(draftView(given({ draft: (d) => (d.limitations = []) })), []);
    expect(quiet.snapshot.evidence.map(({ toolCallId }) => toolCallId)).toEqual([
      'call_logs',
      'call_metric',
      'call_nothing',
    ]);
    for (const { projection, sha256: digest } of quiet.snapshot.evidence)
      expect(sha256(projection)).toBe(digest);
  });
});

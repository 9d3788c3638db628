import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { given } from '../../test/draft';
import { draftView } from '../draft-view';
import { freezeSnapshot } from '../snapshot';
import { frozenSnapshot } from './44-snapshot.rule';

const input = given();
const frozen = freezeSnapshot(draftView(input), [
  { ruleId: '35 SINGLE_UNTRUSTED_SOURCE', itemId: 'a2', note: 'x' },
]);
const check = (text: string, hash = sha256(text)) => [
  ...frozenSnapshot.check({ text, hash }, input.draftText),
];
const changed = (change: (snapshot: Snapshot) => unknown): string => {
  const copy = structuredClone(frozen.snapshot);
  change(copy);
  return canonicalJson(copy);
};

describe('rule 44 SNAPSHOT', () => {
  it('passes what was frozen', () => {
    expect(check(frozen.text, frozen.hash)).toEqual([]);
    expect(canonicalJson(Snapshot.parse(JSON.parse(frozen.text)))).toBe(frozen.text);
  });

  it.each<[string, { text: string; hash?: string }]>([
    ['another hash', { text: frozen.text, hash: sha256('x') }],
    ['another report', { text: changed((s) => (s.report = '{}')) }],
    ['a report that is not its hash', { text: changed((s) => (s.reportHash = sha256('x'))) }],
    ['two items of one id', { text: changed((s) => s.items.push(...s.items.slice(0, 1))) }],
    ['nothing to judge', { text: changed((s) => (s.items = [])) }],
    ['a citation without evidence', { text: changed((s) => s.evidence.shift()) }],
    ['changed evidence', { text: changed((s) => Object.assign(s.evidence[0] ?? {}, { projection: '{}' })) }],
    ['another form', { text: '{}' }],
  ])('fails %s', (_, { text, hash }) => {
    const findings = check(text, hash);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.every(({ repairable }) => repairable === false)).toBe(true);
  });

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

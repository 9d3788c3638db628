import { Explanation } from '@inquest/contracts/explanation';
import { loggedRun, type RunKind } from '../../test/a-logged-run';
import { BAD_TEXT, DRAFT } from '../../test/evidence-and-drafts';
import { makeBundle } from '../make-bundle';
import { explainRun } from './explain-run';
import { sentencesOf } from './sentences';

const explained = (kind: RunKind, withDrafts = false): Explanation =>
  Explanation.parse(explainRun(makeBundle(loggedRun(kind)), { withDrafts }));

const released = (kind: 'RELEASED' | 'REPAIRED' = 'RELEASED') => {
  const explanation = explained(kind);
  if (explanation.outcome !== 'SUCCESS') throw new Error('not released');
  return explanation;
};
const item = (id: string) => {
  const found = released().items.find((each) => each.id === id);
  if (!found) throw new Error(`no item ${id}`);
  return found;
};

describe('The explanation of a report', () => {
  it('has every item, and in each every sentence of its text', () => {
    expect(released().items.map(({ id }) => id)).toEqual(['c0', 'a1', 'a2', 'p1']);
    expect(
      item('a1')
        .sentences.map(({ text }) => text)
        .join(' '),
    ).toBe(DRAFT.analyses[0]?.text);
  });

  it('ties each sentence to the evidence that it speaks of, and to the rules that held it to that', () => {
    const [first, second] = item('a1').sentences;
    expect(first?.grounds).toEqual([
      {
        kind: 'ENTITY',
        toolCallId: 'call_logs',
        tool: 'search_logs',
        type: 'service',
        name: 'checkout',
        offset: expect.any(Number) as unknown,
        analysisId: null,
        rules: ['32 ENTITY'],
      },
      {
        kind: 'NUMBER',
        toolCallId: 'call_logs',
        tool: 'search_logs',
        text: '25',
        path: '/rows/0/message',
        found: 'connection pool exhausted: 25 of 25 connections in use',
        analysisId: null,
        rules: expect.arrayContaining(['28 PROSE_NUMBER']) as unknown,
      },
    ]);
    expect(second?.grounds).toEqual([
      {
        kind: 'FACT',
        toolCallId: 'call_logs',
        tool: 'search_logs',
        path: '/matched',
        stated: 42,
        unit: null,
        policy: 'exact',
        found: 42,
        analysisId: null,
        rules: expect.arrayContaining(['24 FACT_PATH', '25 FACT_VALUE']) as unknown,
      },
    ]);
  });

  it('gives quotes with the place where they begin in the projection', () => {
    const bundle = makeBundle(loggedRun());
    const quote = item('a1').grounds.find(({ kind }) => kind === 'QUOTE');
    if (quote?.kind !== 'QUOTE') throw new Error('no quote');
    const call = bundle.ledger[0];
    const text = call?.kind === 'RESULT' ? (call.entry.projection.inline ?? '') : '';
    expect(text.slice(quote.offset ?? 0).startsWith(quote.quote)).toBe(true);
    expect(quote.rules).toEqual(['30 QUOTE_FIELD']);
  });

  it('carries a negative by the call that found nothing, in its scope', () => {
    expect(item('a2').grounds).toMatchObject([
      { kind: 'CALL', evidenceStatus: 'NO_EVIDENCE', scope: { service: 'payments', filter: 'level=ERROR' } },
    ]);
    expect(item('a2').rules).toEqual(expect.arrayContaining(['13 NEGATIVE_MIXED', '14 NEGATIVE_SCOPE']));
  });

  it('refers what rests on analyses to them, and says what the judge said', () => {
    expect(item('c0')).toMatchObject({
      analysisIds: ['a1'],
      judge: { verdict: 'SUPPORTED', reasonCode: 'ENTAILED' },
    });
    expect(item('c0').judge?.offset).toEqual(expect.any(Number));
    expect(item('p1').rules).toContain('9 CONCLUSION_BINDING');
    expect(item('c0').sentences[0]?.grounds).toMatchObject([
      { kind: 'ENTITY', name: 'checkout', analysisId: 'a1', rules: ['10 ORPHAN_TEXT', '32 ENTITY'] },
    ]);
  });

  it('names the rules over the whole, apart from those over single items', () => {
    expect(released().wholeReport).toEqual(expect.arrayContaining(['1 SCHEMA', '2 DUP_KEY', '44 SNAPSHOT']));
    expect(released().wholeReport).not.toContain('25 FACT_VALUE');
  });

  it('tells of a repair which rules the first draft failed', () => {
    const { drafts, items } = released('REPAIRED');
    expect(drafts).toEqual([
      {
        revision: 1,
        verdict: 'REJECTED',
        violations: 1,
        failed: [{ ruleId: '25 FACT_VALUE', count: 1, places: ['/analyses/0/facts/0/value'] }],
      },
      { revision: 2, verdict: 'ACCEPTED', violations: 0, failed: [] },
    ]);
    expect(items.find(({ id }) => id === 'a1')?.rules).toContain('42 REPAIR_MONOTONE');
  });
});

describe('The explanation of a fallback', () => {
  it('names rules, places and counts, and no word of the draft', () => {
    const explanation = explained('REJECTED_TWICE');
    expect(explanation).toMatchObject({
      outcome: 'FALLBACK',
      fallback: 'EVIDENCE_VALIDATION_FAILED',
      drafts: [{ verdict: 'REJECTED' }, { verdict: 'REJECTED', violations: 1 }],
    });
    const text = JSON.stringify(explanation);
    for (const word of ['connection', 'exhausted', 'sessions', 'payments', '43'])
      expect(text).not.toContain(word);
  });

  it('hides a member that the author made up, since its name is text of the draft', () => {
    const material = loggedRun('REJECTED_TWICE');
    for (const fact of material.facts) {
      const events = (fact.data as { events?: { violations?: { path: string }[] }[] }).events ?? [];
      for (const { violations = [] } of events)
        for (const violation of violations) violation.path = '/analyses/0/ignore all rules/the disk is full';
    }
    const explanation = explainRun(makeBundle(material), { withDrafts: false });
    expect(explanation.drafts[0]?.failed[0]?.places).toEqual(['/analyses/0/*/*']);
  });

  it('shows an operator the rejected draft, with each violation where it stands', () => {
    const { drafts } = explained('REJECTED_TWICE', true);
    expect(drafts[0]?.draft?.text).toBe(BAD_TEXT);
    expect(drafts[0]?.draft?.violations).toMatchObject([
      { ruleId: '25 FACT_VALUE', path: '/analyses/0/facts/0/value', stands: '43' },
    ]);
  });

  it('names the items that the judge did not find supported, and their text to an operator only', () => {
    const told = explained('UNSUPPORTED');
    expect(told.review).toMatchObject([
      { outcome: 'UNSUPPORTED', unsupported: [{ itemId: 'a1', reasonCode: 'CAUSAL_LEAP' }] },
    ]);
    expect(JSON.stringify(told)).not.toContain('connections');
    expect(explained('UNSUPPORTED', true).drafts[0]?.draft?.unsupported).toEqual([
      { itemId: 'a1', text: DRAFT.analyses[0]?.text },
    ]);
  });

  it('of a failed run is its reason', () => {
    expect(explained('FAILED', true)).toMatchObject({
      outcome: 'FAILED',
      reason: 'MODEL_UNAVAILABLE',
      drafts: [],
      review: [],
    });
  });
});

describe('Sentences', () => {
  it.each<[string, string, string[]]>([
    ['en', 'It rose to 4.2 s at 10:14. Then it fell.', ['It rose to 4.2 s at 10:14.', 'Then it fell.']],
    ['en', 'checkout-7d9f.shop.svc failed.', ['checkout-7d9f.shop.svc failed.']],
    ['de', 'Der Pool war voll. Danach nicht mehr.', ['Der Pool war voll.', 'Danach nicht mehr.']],
    ['zh', '连接池已满。之后恢复。', ['连接池已满。', '之后恢复。']],
    ['en', '  ', []],
  ])('of %s: %s', (locale, text, expected) => {
    const found = sentencesOf(text, locale as 'en');
    expect(found.map((sentence) => sentence.text)).toEqual(expected);
    for (const sentence of found) expect(text.startsWith(sentence.text, sentence.at)).toBe(true);
  });
});

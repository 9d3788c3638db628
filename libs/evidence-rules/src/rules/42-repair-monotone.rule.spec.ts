import { answer, describeRule, given, soundDraft, type LooseDraft } from '../../test/draft';
import { WINDOW } from '../../test/ledger';
import { validateDraft } from '../validate-draft';
import { repairMonotone } from './42-repair-monotone.rule';

const violation = {
  ruleId: '25 FACT_VALUE',
  analysisId: 'a1',
  path: '/x',
  toolCallId: null,
  message: 'x',
  repairable: true,
  candidates: [],
};
const repair = (draft: (d: LooseDraft) => unknown, previous: string = JSON.stringify(soundDraft())) =>
  given({ revision: 2, previousDraftText: previous, repairOf: [violation], draft });
const first = (change: (a: LooseDraft['analyses'][number]) => unknown) => (d: LooseDraft) => {
  const [analysis] = d.analyses;
  if (analysis) change(analysis);
};

const range = (value: [number, number]) =>
  first((a) => void (a.facts = [{ toolCallId: 'call_logs', path: '/range', value, policy: 'range' }]));
const ranged = (value: [number, number]) => {
  const draft = soundDraft();
  range([3, 25])(draft);
  return repair(range(value), JSON.stringify(draft));
};
const NOT_FOUND = answer([{ documentIds: ['rb-none'] }]).draftText;
const repairedAnswer = (...items: Parameters<typeof answer>[0]) => ({
  ...answer(items),
  revision: 2,
  previousDraftText: NOT_FOUND,
  repairOf: [violation],
});

describeRule(repairMonotone, {
  passes: {
    'the same draft': repair(() => undefined),
    'deleted analyses': repair((d) => void d.analyses.splice(2, 1)),
    'a retargeted fact': repair(first((a) => Object.assign(a.facts?.[0] ?? {}, { path: '/rows/0/level' }))),
    'a narrowed window': repair(
      first((a) =>
        Object.assign(a.scope ?? {}, {
          window: { from: '2026-03-02T10:20:00Z', to: '2026-03-02T10:25:00Z' },
        }),
      ),
    ),
    'an analysis turned negative, with a zero': repair(
      first((a) =>
        Object.assign(a, {
          kind: 'NEGATIVE_OBSERVATION',
          scope: { window: WINDOW },
          facts: [{ toolCallId: 'call_pods', path: '/rows/0/restarts', value: 0, policy: 'exact' }],
        }),
      ),
    ),
    'the same range': ranged([3, 25]),
    'an answer that cites another document': repairedAnswer({}),
    'a weaker kind': repair((d) => Object.assign(d.analyses[1] ?? {}, { kind: 'CORRELATION' })),
    'a weaker conclusion': repair((d) => Object.assign(d.conclusion, { status: 'INCONCLUSIVE' })),
    'a limitation for a failed call': repair(
      (d) => void d.limitations.push({ id: 'l2', text: 'The query of 17 metrics failed.', toolCallIds: [] }),
    ),
    'a first draft': given({ draft: (d) => (d.conclusion.text = 'There were 99 errors.') }),
    'a repair of what was no JSON': repair(() => undefined, `Here: ${JSON.stringify(soundDraft())}`),
  },
  fails: {
    'an added analysis': [
      repair(
        (d) =>
          void d.analyses.push({ id: 'a4', kind: 'OBSERVATION', text: 'More.', toolCallIds: ['call_logs'] }),
      ),
      '/analyses/3',
    ],
    'an added recommendation': [
      repair((d) => void d.recommendations.push({ id: 'r2', text: 'More.', analysisIds: ['a1'] })),
      '/recommendations/1',
    ],
    'a stronger kind': [repair(first((a) => Object.assign(a, { kind: 'CAUSE' }))), '/analyses/0/kind'],
    'a negative made positive': [
      repair((d) => Object.assign(d.analyses[2] ?? {}, { kind: 'OBSERVATION' })),
      '/analyses/2/kind',
    ],
    'a stronger conclusion': [
      repair(
        () => undefined,
        JSON.stringify({
          ...soundDraft(),
          conclusion: { ...soundDraft().conclusion, status: 'INCONCLUSIVE' },
        }),
      ),
      '/conclusion/status',
    ],
    'a new value': [
      repair(first((a) => Object.assign(a.facts?.[0] ?? {}, { value: 43 }))),
      '/analyses/0/facts/0/value',
    ],
    'a new text value': [
      repair(first((a) => Object.assign(a.facts?.[0] ?? {}, { value: 'OOMKilled' }))),
      '/analyses/0/facts/0/value',
    ],
    'a wider range': [ranged([3, 26]), '/analyses/0/facts/0/value'],
    'an added item of an answer': [repairedAnswer({}, {}), '/items/1'],
    'a new number in an answer': [repairedAnswer({ text: 'Wait 77 seconds.' }), '/items/0/text'],
    'a new quote': [
      repair(first((a) => Object.assign(a.quotes?.[0] ?? {}, { quote: 'out of memory' }))),
      '/analyses/0/quotes/0/quote',
    ],
    'a new entity': [
      repair(first((a) => Object.assign(a.entities?.[0] ?? {}, { name: 'payments-db' }))),
      '/analyses/0/entities/0/name',
    ],
    'a new number in prose': [repair((d) => (d.conclusion.text = 'It failed 77 times.')), '/conclusion/text'],
    'a new time in prose': [repair((d) => (d.conclusion.text = 'It failed at 10:59.')), '/conclusion/text'],
    'a new quotation in prose': [
      repair((d) => (d.conclusion.text = 'It said “out of memory”.')),
      '/conclusion/text',
    ],
    'a new derived number': [
      repair(
        first(
          (a) =>
            (a.derived = [
              {
                op: 'sum',
                operands: [{ toolCallId: 'call_logs', path: '/matched' }],
                value: 84,
                policy: 'exact',
              },
            ]),
        ),
      ),
      '/analyses/0/derived/0/value',
    ],
  },
});

it('flags for the judge what a repair changed', () => {
  const verdict = validateDraft(
    repair((d) => Object.assign(d.conclusion, { text: 'The connection pool of checkout was exhausted.' })),
  );
  expect(verdict.kind).toBe('ACCEPTED');
  const { items } = JSON.parse(verdict.kind === 'ACCEPTED' ? verdict.snapshotText : '{}') as {
    items: { id: string; flags: string[] }[];
  };
  expect(items.filter(({ flags }) => flags.includes('repaired')).map(({ id }) => id)).toEqual(['c0']);
});

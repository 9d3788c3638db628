import type { Analysis, AnswerItem, DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId } from '@inquest/contracts/ids';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { draftView } from '../src/draft-view';
import type { GuardInput, LedgerRecord } from '../src/guard-input';
import type { Finding, Rule } from '../src/rule';
import { noteTable, type RuleHead } from './rule-tables';
import { LOGS, LOOKUP, METRIC, NOTHING, PODS, WINDOW } from './ledger';

/** Drafts as a model writes them: plain strings where the contract has brands. */
type Unbranded<T> = T extends string
  ? string
  : T extends (infer U)[]
    ? Unbranded<U>[]
    : T extends object
      ? { [K in keyof T]: Unbranded<T[K]> }
      : T;
export type LooseDraft = Unbranded<DiagnosisDraft>;
export type LooseAnalysis = Unbranded<Analysis>;
export type LooseItem = Unbranded<AnswerItem>;

/** A draft that passes every rule over {@link LEDGER}. */
export const soundDraft = (): LooseDraft => ({
  conclusion: {
    status: 'ROOT_CAUSE_IDENTIFIED',
    text: 'The connection pool of checkout was exhausted: 25 connections were in use.',
    analysisIds: ['a1', 'a2'],
  },
  analyses: [
    {
      id: 'a1',
      kind: 'OBSERVATION',
      text: 'From 10:14 on checkout logged 42 errors: “connection pool exhausted”.',
      toolCallIds: ['call_logs'],
      scope: {
        service: 'checkout',
        namespace: 'shop',
        filter: 'level=ERROR',
        window: { from: '2026-03-02T10:14:00Z', to: '2026-03-02T10:45:00Z' },
      },
      facts: [{ toolCallId: 'call_logs', path: '/matched', value: 42, policy: 'exact' }],
      quotes: [
        { toolCallId: 'call_logs', path: '/rows/0/message', quote: 'connection pool exhausted: 25 of 25' },
      ],
      entities: [{ type: 'service', name: 'checkout', toolCallId: 'call_logs' }],
    },
    {
      id: 'a2',
      kind: 'CAUSE',
      text: 'The 25 connections of checkout were in use, 24.9 at the 95th percentile.',
      toolCallIds: ['call_metric', 'call_logs'],
      facts: [
        { toolCallId: 'call_metric', path: '/series/0/summary/max', value: 25, policy: 'exact' },
        { toolCallId: 'call_metric', path: '/series/0/summary/p95', value: 24.9, policy: 'rounded(1)' },
      ],
      entities: [{ type: 'metric', name: 'db_connections_in_use', toolCallId: 'call_metric' }],
    },
    {
      id: 'a3',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No error with status 503 was logged by payments between 10:00 and 11:00.',
      toolCallIds: ['call_nothing'],
      scope: { service: 'payments', filter: 'level=ERROR, status=503', window: { ...WINDOW } },
    },
  ],
  actionPlan: [{ id: 'p1', text: 'End the sessions that hold the 25 connections.', analysisIds: ['a2'] }],
  recommendations: [{ id: 'r1', text: 'Let the pool time out earlier.', analysisIds: ['a2'] }],
  limitations: [{ id: 'l1', text: 'Only pods of namespace shop were listed.', toolCallIds: ['call_pods'] }],
  candidates: [{ rank: 1, object: 'app/checkout', cause: 'connection pool exhaustion', analysisId: 'a2' }],
});

export const LEDGER: readonly LedgerRecord[] = [LOGS, PODS, METRIC, NOTHING];

export const RUN = '01234567-89ab-8cde-8f01-23456789abcd' as RunId;

type Variation = Partial<GuardInput> & {
  /** Changes a copy of the sound draft. */
  draft?: (draft: LooseDraft) => unknown;
  extra?: readonly LedgerRecord[];
};

/** A first draft over {@link LEDGER}; a draft that `draft` returns replaces the one that it was given. */
export const given = ({ draft, extra = [], ...input }: Variation = {}): GuardInput => {
  const copy = soundDraft();
  const changed = draft?.(copy);
  const body = typeof changed === 'object' && changed !== null && 'analyses' in changed ? changed : copy;
  return {
    runId: RUN,
    intent: 'DIAGNOSIS',
    revision: 1,
    draftText: JSON.stringify(body),
    draftBytesMax: 262_144,
    ledger: [...LEDGER, ...extra],
    question: 'Why does checkout fail?',
    zone: 'UTC',
    asOf: '2026-03-02T11:05:00Z',
    repairOf: [],
    ruleSet: RULE_SET,
    ...input,
  };
};

/** One analysis in place of all others, concluded by a sentence without figures. */
export const withAnalysis = (
  analysis: Partial<LooseAnalysis>,
  input: Omit<Variation, 'draft'> = {},
): GuardInput =>
  given({
    ...input,
    draft: () => ({
      conclusion: { status: 'INCONCLUSIVE', text: 'See the analysis.', analysisIds: ['a1'] },
      analyses: [
        { id: 'a1', kind: 'OBSERVATION', text: 'As cited.', toolCallIds: ['call_logs'], ...analysis },
      ],
      actionPlan: [],
      recommendations: [],
      limitations: [],
    }),
  });

export const answer = (
  items: readonly Partial<LooseItem>[],
  ledger: readonly LedgerRecord[] = [LOOKUP],
): GuardInput =>
  given({
    intent: 'KNOWLEDGE_QUERY',
    ledger,
    draftText: JSON.stringify({
      items: items.map((item, i) => ({
        id: `k${i + 1}`,
        text: 'End sessions that are idle in transaction.',
        toolCallId: 'call_lookup',
        documentIds: ['rb-pool#remedy'],
        ...item,
      })),
    }),
  });

export const findingsOf = (rule: Rule, input: GuardInput): Finding[] => [...rule.check(draftView(input))];

/** Rows of every table: no rule has anything against these. */
const sound = (): Record<string, GuardInput> => ({
  'a sound draft': given(),
  'a sound answer': answer([{}]),
});

/** The table of a rule: what passes, and what fails where (paths in the order of the findings). */
export const describeRule = (
  rule: Rule,
  { passes, fails }: { passes: Record<string, GuardInput>; fails: Record<string, [GuardInput, ...string[]]> },
): void => {
  noteTable(rule, {
    passes: Object.entries({ ...passes, ...sound() }).map(([name, input]) => ({
      name,
      input,
      findings: findingsOf(rule, input),
    })),
    fails: Object.entries(fails).map(([name, [input]]) => ({
      name,
      input,
      findings: findingsOf(rule, input),
    })),
  });
  describe(`rule ${rule.id}`, () => {
    it.each(Object.entries({ ...sound(), ...passes }))('passes %s', (_, input) => {
      expect(findingsOf(rule, input)).toEqual([]);
    });
    it.each(Object.entries(fails))('fails %s', (_, [input, ...paths]) => {
      expect(findingsOf(rule, input).map(({ path }) => path)).toEqual(paths);
    });
  });
};

/** The table of a rule over something else than a draft: what passes, and what has findings, none of which a repair can help. */
export const describeRuleOn = <Subject>(
  rule: RuleHead,
  check: (subject: Subject) => Iterable<Finding>,
  { passes, fails }: { passes: Record<string, Subject>; fails: Record<string, Subject> },
): void => {
  const examples = (table: Record<string, Subject>) =>
    Object.entries(table).map(([name, subject]) => ({ name, findings: [...check(subject)] }));
  noteTable(rule, { passes: examples(passes), fails: examples(fails) });
  describe(`rule ${rule.id}`, () => {
    it.each(Object.entries(passes))('passes %s', (_, subject) => expect([...check(subject)]).toEqual([]));
    it.each(Object.entries(fails))('fails %s', (_, subject) => {
      const findings = [...check(subject)];
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.every(({ repairable }) => repairable === false)).toBe(true);
    });
  });
};

import type { Analysis, DiagnosisDraft } from '@inquest/contracts/draft';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { View } from '../evidence/view';
import type { Finding, Hypothesis } from '../rules/finding';
import { eventFinding } from '../rules/findings';
import type { Diagnosis } from './diagnose';
import { conclusionText } from './conclusion';
import { limitationsOf } from './limitations';
import { spoken } from './vocabulary';

const ANALYSES_MAX = 32;
const MAX = { toolCallIds: 20, facts: 40, quotes: 20, entities: 40, text: 2_000 } as const;

const analysisOf = (finding: Finding): Omit<Analysis, 'id'> => ({
  kind: finding.kind,
  text: finding.text.slice(0, MAX.text),
  toolCallIds: finding.toolCallIds.slice(0, MAX.toolCallIds) as ToolCallId[],
  ...(finding.scope ? { scope: finding.scope } : {}),
  ...(finding.facts.length > 0 ? { facts: finding.facts.slice(0, MAX.facts) } : {}),
  ...(finding.quotes.length > 0 ? { quotes: finding.quotes.slice(0, MAX.quotes) } : {}),
  ...(finding.entities.length > 0 ? { entities: finding.entities.slice(0, MAX.entities) } : {}),
});

/** The cause rests on everything that its heavier findings cite. */
const causeOf = (
  { mechanism, findings }: Hypothesis,
  kind: 'CAUSE' | 'CORRELATION',
): Omit<Analysis, 'id'> => {
  const heavy = [...findings]
    .sort((a, b) => b.weight - a.weight)
    .filter(({ weight, kind: of }) => weight > 0 && of !== 'NEGATIVE_OBSERVATION');
  const base: Finding = {
    key: 'cause',
    sort: 'STATE',
    kind: 'OBSERVATION',
    text: mechanism,
    toolCallIds: [...new Set(heavy.flatMap(({ toolCallIds }) => toolCallIds))],
    facts: heavy.flatMap(({ facts }) => facts).slice(0, 12),
    quotes: heavy.flatMap(({ quotes }) => quotes).slice(0, 3),
    entities: heavy.flatMap(({ entities }) => entities).slice(0, 12),
    weight: 0,
    fromMs: null,
    toMs: null,
  };
  const cited = new Set(base.toolCallIds.slice(0, MAX.toolCallIds));
  const kept = <T extends { toolCallId: string }>(items: readonly T[]) =>
    items.filter(({ toolCallId }) => cited.has(toolCallId));
  return {
    ...analysisOf({
      ...base,
      facts: kept(base.facts),
      quotes: kept(base.quotes),
      entities: kept(base.entities),
    }),
    kind,
  };
};

const uniqueByKey = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((item) => [item.key, item])).values(),
];

const leadKey = ({ cause, object }: Hypothesis): string => `lead:${object}:${cause}`;

/** Another place where something is wrong: named as a lead, with its weightiest findings. */
const leadOf = (hypothesis: Hypothesis): Finding[] => {
  const { headline, findings } = hypothesis;
  const shown = findings.slice(0, 3);
  const [first] = shown;
  if (!first) return [];
  const text = `Another lead, which the evidence may also suggest: ${headline.charAt(0).toLowerCase()}${headline.slice(1)}.`;
  return [{ ...first, key: leadKey(hypothesis), kind: 'CORRELATION', text }, ...shown];
};

type Entry = { key: string; body: Omit<Analysis, 'id'> };

const CAUSE_KEY = 'cause';

/** What the report says, in the order in which it is read: the cause, what shows it, the symptoms, and the rest. */
const entriesOf = (view: View, diagnosis: Diagnosis): Entry[] => {
  const { best, alternatives, change, followers, symptoms, runbooks, aside, negatives, status } = diagnosis;
  const kind = status === 'ROOT_CAUSE_IDENTIFIED' || status === 'PROBABLE_CAUSE' ? 'CAUSE' : 'CORRELATION';
  const findings = uniqueByKey([
    ...(best?.findings ?? []),
    ...(change ? [eventFinding(view, change, 0)] : []),
    ...followers.map(({ finding }) => finding),
    ...symptoms,
    ...alternatives.flatMap(leadOf),
    ...runbooks,
    ...aside,
    ...negatives,
  ]);
  return [
    ...(best ? [{ key: CAUSE_KEY, body: causeOf(best, kind) }] : []),
    ...findings.map((item) => ({ key: item.key, body: analysisOf(item) })),
  ].slice(0, ANALYSES_MAX);
};

const advice = (letter: string, texts: readonly string[], analysisIds: string[]) =>
  texts.map((text, index) => ({ id: `${letter}${index + 1}`, text, analysisIds }));

const LOOK_ON =
  'Name the service and the time at which people noticed something, and ask again; a narrower question finds more.';
const STAND_DOWN =
  'Nothing needs to be done now. Should people go on noticing something, ask again with the service and the time.';
const FOLLOW = 'Follow the runbook that is named here for the details of each step.';

/** The report as the contract wants it: analyses first, everything else bound to them. */
export const writeDraft = (view: View, diagnosis: Diagnosis): DiagnosisDraft => {
  const { best, alternatives, runbooks, status } = diagnosis;
  const entries = entriesOf(view, diagnosis);
  const analyses: Analysis[] = entries.map(({ body }, index) => ({ id: `a${index + 1}`, ...body }));
  const byKey = new Map(entries.map(({ key }, index) => [key, `a${index + 1}`]));
  const idsOf = (keys: readonly string[]): string[] => keys.flatMap((key) => byKey.get(key) ?? []);
  const all = analyses.map(({ id }) => id);
  const proof = idsOf([
    CAUSE_KEY,
    ...(best?.findings ?? []).map(({ key }) => key),
    ...runbooks.map(({ key }) => key),
  ]);
  const advised = [...new Set(proof)];
  const steps = best
    ? [...best.actions, ...(runbooks.length > 0 ? [FOLLOW] : [])]
    : [status === 'NO_FAULT_FOUND' ? STAND_DOWN : LOOK_ON];
  const candidates = [
    ...(best ? [{ ...best, key: CAUSE_KEY }] : []),
    ...alternatives.map((lead) => ({ ...lead, key: leadKey(lead) })),
  ]
    .flatMap(({ object, cause, key }) =>
      idsOf([key]).map((analysisId) => ({ ...spoken({ object, cause }, view.question), analysisId })),
    )
    .map((candidate, index) => ({ rank: index + 1, ...candidate }));
  return {
    conclusion: { status, text: conclusionText(diagnosis).slice(0, MAX.text), analysisIds: all },
    analyses,
    actionPlan: advice('p', steps, best ? advised : all),
    recommendations: best ? advice('r', best.recommendations, advised) : [],
    limitations: limitationsOf(view),
    ...(candidates.length > 0 ? { candidates } : {}),
  };
};

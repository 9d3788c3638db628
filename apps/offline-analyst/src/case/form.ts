import { diagnose, rankedHypotheses } from '../diagnosis/diagnose';
import type { View } from '../evidence/view';
import { FAMILIES, type Family } from './families';

type Proposed = { statement: string; confirmedBy: string; refutedBy: string };

/** Where fewer hypotheses are wanted than there are families, these go together, the first pair first. */
const MERGES: readonly [Family, Family][] = [
  ['SETTING', 'ROUTING'],
  ['DEPENDENCY', 'NODE'],
  ['PLACEMENT', 'RESOURCE'],
  ['PLACEMENT', 'SETTING'],
  ['PLACEMENT', 'DEPENDENCY'],
];

const groupsFor = (count: number): Family[][] => {
  let groups = (Object.keys(FAMILIES) as Family[]).map((family) => [family]);
  for (const [into, from] of MERGES) {
    if (groups.length <= count) break;
    const gone = groups.find((group) => group.includes(from)) ?? [];
    groups = groups
      .filter((group) => group !== gone)
      .map((group) => (group.includes(into) ? [...group, ...gone] : group));
  }
  return groups;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const joined = (group: readonly Family[], of: 'phrase' | 'confirmedBy' | 'refutedBy', word: string) =>
  `${capital(group.map((family) => FAMILIES[family][of]).join(`, ${word} `))}.`;

const generic = (group: readonly Family[]): Proposed => ({
  statement: joined(group, 'phrase', 'or'),
  confirmedBy: joined(group, 'confirmedBy', 'or'),
  refutedBy: joined(group, 'refutedBy', 'and'),
});

/** What the question hints at comes first; a hint decides about nothing but the order. */
const byHint = (question: string, groups: Family[][]): Family[][] => {
  const fits = (group: readonly Family[]) => group.some((family) => FAMILIES[family].hint.test(question));
  return [...groups.filter(fits), ...groups.filter((group) => !fits(group))];
};

const SPECIFIC_MAX = 3;
const STATEMENT_CHARS_MAX = 600;

/** What the rules make of evidence that is there already, most likely first. */
const specific = (view: View): Proposed[] => {
  const { best, alternatives } = diagnose(view, rankedHypotheses(view));
  return [...(best ? [best] : []), ...alternatives].slice(0, SPECIFIC_MAX).map((rule) => ({
    statement: `${rule.headline}.`.slice(0, STATEMENT_CHARS_MAX),
    confirmedBy: rule.mechanism.slice(0, STATEMENT_CHARS_MAX),
    refutedBy: `Complete answers about ${rule.service ?? rule.object} that do not show it.`,
  }));
};

/** Two to `max` hypotheses: leads that the evidence gives, and for the rest the ways in which systems fail. */
export const formHypotheses = (view: View, max: number): Proposed[] => {
  const leads = specific(view).slice(0, Math.max(0, max - 2));
  const groups = byHint(view.question, groupsFor(Math.max(2, max - leads.length)));
  const all = [...leads, ...groups.map(generic)];
  return [...new Map(all.map((proposed) => [proposed.statement, proposed])).values()].slice(0, max);
};

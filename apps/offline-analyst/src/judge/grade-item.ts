import {
  causeObjection,
  conclusionObjection,
  deniesFault,
  kindObjection,
  ownWords,
  withoutReserve,
} from './causality';
import { claimsIn } from './concepts';
import { wordCoverage } from './coverage';
import type { Entry, Exhibit } from './exhibit';
import { folded } from './fold';
import { factualPart } from './advice';
import { injectionSuspected, readsLikeAnInstruction } from './injection';
import type { Item, Objection, ReasonCode } from './judge-request';
import { factHolds, factsOf, focusOf, hasToken, namesIn, numberFound, timeFound } from './lookup';
import { negativeObjection } from './negative';
import { quoteFor } from './quote';
import { statementOf, type Statement } from './statement';

export type Verdict = {
  item_id: string;
  verdict: 'SUPPORTED' | 'UNSUPPORTED';
  reason_code: ReasonCode;
  evidence_quote: string | null;
  tool_call_id: string | null;
  scope_hash: string | null;
};

/** Least share of an item's words that must be found; what is below is not sure enough to pass. */
const COVERAGE = { analysis: 0.3, conclusion: 0.5, answer: 0.75 } as const;
/** Enough for a summary in other words: a denial, a cause or a conclusion whose mechanism the evidence shows. */
const COVERAGE_OF_SUMMARY = 0.1;

type Case = {
  item: Item;
  statement: Statement;
  /** The item's own citations, or those of the analyses that it binds. */
  cited: Exhibit[];
  bound: Item[];
};

/** Where statements are facts throughout. In the other sections advice is not judged, facts stated in passing are. */
const FACTUAL = new Set(['conclusion', 'analysis', 'candidate', 'answer']);

/** Evidence that speaks to its reader is hostile: what is said with it at hand has to stand in it nearly word for word. */
const COVERAGE_AMID_INJECTION = 0.35;

/** What an item may rest on: its evidence, and what the analyses say that it binds. */
const supportOf = ({ cited, bound }: Case): string[] => [
  ...cited.map(({ support }) => support),
  ...bound.map(({ text }) => folded(text)),
];

const typedFactsObjection = ({ item, cited }: Case): Objection =>
  factsOf(item.facts).every((fact) => factHolds(fact, cited)) ? undefined : 'CONTRADICTED';

const scopeObjection = ({ item, cited }: Case): Objection => {
  if (typeof item.scope !== 'object' || item.scope === null) return undefined;
  const claim = item.scope as Record<string, unknown>;
  const outside = cited.some(({ scope }) =>
    ['service', 'namespace', 'env'].some(
      (key) => scope[key] != null && claim[key] != null && claim[key] !== scope[key],
    ),
  );
  return outside ? 'SCOPE' : undefined;
};

const wordsObjection = (current: Case): Objection => {
  const { statement, cited, bound } = current;
  const support = supportOf(current);
  const isAbsent = (found: (text: string) => boolean) => !support.some(found);
  if (statement.quotes.some((quote) => isAbsent((text) => text.includes(folded(quote)))))
    return 'NOT_IN_EVIDENCE';
  if (statement.identifiers.some((name) => isAbsent((text) => hasToken(text, folded(name)))))
    return 'NOT_IN_EVIDENCE';
  const said = bound.map(({ text }) => text).join(' ');
  const untimely = statement.times.some((time) => !timeFound(time, cited) && !said.includes(time));
  return untimely ? 'NOT_IN_EVIDENCE' : undefined;
};

/** A number must stand in a typed fact, or in the very entries that the item names; elsewhere it is a coincidence. */
const numbersObjection = (current: Case): Objection => {
  const { statement, item, cited, bound } = current;
  const entries = focusOf(namesIn(statement, cited), cited);
  const typed = [item, ...bound].flatMap(({ facts }) => factsOf(facts)).flatMap(({ value }) => value);
  const said = bound.flatMap(({ text }) => statementOf(text).numbers.map(({ value }) => value));
  const known = [
    ...entries.flatMap(({ numbers }) => numbers),
    ...cited.flatMap(({ header }) => header.numbers),
    ...typed.filter((value): value is number => typeof value === 'number').map(Math.abs),
    ...said,
    entries.length,
  ];
  return statement.numbers.every((number) => numberFound(number, known)) ? undefined : 'NOT_IN_EVIDENCE';
};

/** Items that sum up: they speak of everything they cite, not of single entries. */
const isOverall = ({ section, kind }: Item): boolean =>
  section === 'conclusion' || kind === 'CAUSE' || kind === 'CORRELATION';

const nearOf = (entries: readonly Entry[], cited: readonly Exhibit[]): string =>
  [...entries.map(({ text }) => text), ...cited.map(({ header }) => header.text)].join(' ');

const conceptsObjection = (current: Case): Objection => {
  const { statement, cited, bound } = current;
  const near = isOverall(current.item)
    ? cited.map(({ support }) => support).join(' ')
    : nearOf(focusOf(namesIn(statement, cited), cited), cited);
  const said = bound.map(({ text }) => text).join(' ');
  for (const { concept, negated } of claimsIn(ownWords(statement.text))) {
    const grounded = concept.grounded.test(near) || concept.claimed.test(said);
    if (!negated && !grounded) return 'NOT_IN_EVIDENCE';
    if (negated && concept.mechanism && concept.grounded.test(near)) return 'NEGATION';
  }
  return undefined;
};

/** A cause, or a conclusion, whose mechanism is visible in the evidence, or a denial; its words are the author's own. */
const isSummary = ({ item, statement, cited }: Case): boolean => {
  if (item.section === 'conclusion' && deniesFault(statement.text)) return true;
  if (!isOverall(item)) return false;
  const shown = cited.map(({ support }) => support).join(' ');
  return claimsIn(statement.text).some(
    ({ concept, negated }) => concept.mechanism && !negated && concept.grounded.test(shown),
  );
};

const coverageObjection = (current: Case): Objection => {
  const { section } = current.item;
  const usual = isSummary(current)
    ? COVERAGE_OF_SUMMARY
    : section === 'conclusion' || section === 'answer' || section === 'analysis'
      ? COVERAGE[section]
      : 0;
  const hostile = current.cited.some(({ text }) => readsLikeAnInstruction(text));
  const least = hostile ? Math.max(usual, COVERAGE_AMID_INJECTION) : usual;
  const support = [
    ...current.cited.map(({ words }) => words),
    ...current.bound.map(({ text }) => folded(text).toLowerCase()),
  ];
  return wordCoverage(current.statement.text, support) >= least ? undefined : 'NOT_IN_EVIDENCE';
};

const causalObjection = (current: Case): Objection => {
  const { item, cited, bound } = current;
  if (item.section === 'conclusion') return conclusionObjection(item, bound);
  if (item.section === 'candidate')
    return bound.some(({ kind }) => kind === 'CAUSE' || kind === 'CORRELATION') ? undefined : 'CAUSAL_LEAP';
  if (item.section !== 'analysis') return undefined;
  if (item.kind === 'CAUSE')
    return causeObjection(item, cited.map(({ text }) => text).join(' '), cited.length);
  return kindObjection(item);
};

const CHECKS: readonly ((current: Case) => Objection)[] = [
  typedFactsObjection,
  scopeObjection,
  wordsObjection,
  numbersObjection,
];
const CHECKS_OF_FACTS: readonly ((current: Case) => Objection)[] = [
  conceptsObjection,
  causalObjection,
  coverageObjection,
];

const usable = ({ evidenceStatus }: Exhibit) => evidenceStatus === 'EVIDENCE_FOUND';

/** An answer in the very words of a document says what the document says. */
const isVerbatim = ({ statement, cited }: Case): boolean =>
  cited.some(({ support }) => support.includes(folded(statement.text).trim()));

const objectionTo = (current: Case): Objection => {
  const { item, statement, cited } = current;
  if (
    injectionSuspected(
      item.text,
      cited.map(({ text }) => text),
    )
  )
    return 'INJECTION_SUSPECTED';
  if (item.kind === 'NEGATIVE_OBSERVATION') return negativeObjection(item, statement, cited);
  if (item.section === 'limitation') return soundsLikeAFinding(item.text) ? 'OVERSTATED' : undefined;
  if (cited.length === 0) return 'NOT_IN_EVIDENCE';
  if (item.section === 'answer' && isVerbatim(current)) return undefined;
  if (item.section === 'analysis' && !cited.every(usable)) return 'NOT_IN_EVIDENCE';
  const checks = FACTUAL.has(item.section) ? [...CHECKS, ...CHECKS_OF_FACTS] : CHECKS;
  // A machine-readable cause is a word of a vocabulary, not prose.
  const relevant = item.section === 'candidate' ? [causalObjection] : checks;
  for (const check of relevant) {
    const objection = check(current);
    if (objection) return objection;
  }
  return undefined;
};

/** A limitation tells what is not known; one that explains the incident hides a claim where no citation is asked for. */
const soundsLikeAFinding = (text: string): boolean =>
  /\b(?:root cause|caused by|because of|due to (?:the|a) (?:leak|deploy|bug))\b/i.test(text);

const refused = (item: Item, reason: ReasonCode): Verdict => ({
  item_id: item.id,
  verdict: 'UNSUPPORTED',
  reason_code: reason,
  evidence_quote: null,
  tool_call_id: null,
  scope_hash: null,
});

const supported = (item: Item, rest: Partial<Verdict>): Verdict => ({
  ...refused(item, 'ENTAILED'),
  verdict: 'SUPPORTED',
  ...rest,
});

const accepted = (current: Case): Verdict => {
  const { item, cited, bound } = current;
  const first = cited[0]?.toolCallId ?? null;
  if (item.kind === 'NEGATIVE_OBSERVATION')
    return supported(item, { tool_call_id: first, scope_hash: item.scopeHash ?? null });
  if (item.section === 'limitation') return supported(item, {});
  if (bound.length > 0 && bound.every(({ kind }) => kind === 'NEGATIVE_OBSERVATION'))
    return supported(item, { tool_call_id: first });
  const found = quoteFor(
    statementOf(item.text),
    cited.filter(usable).length > 0 ? cited.filter(usable) : cited,
  );
  if (!found) return refused(item, 'NOT_IN_EVIDENCE');
  return supported(item, { evidence_quote: found.quote, tool_call_id: found.toolCallId });
};

/** Advice is not judged, nor that a question is left open, unless what is bound has settled it. */
const textToGrade = (item: Item, bound: readonly Item[]): string => {
  if (!FACTUAL.has(item.section)) return factualPart(item.text);
  const isOpen = item.section === 'conclusion' && bound.every(({ kind }) => kind !== 'CAUSE');
  return isOpen ? withoutReserve(item.text) : item.text;
};

/** Checks one item against the evidence that it names, and nothing else. Unsure is UNSUPPORTED. */
export const gradeItem = (
  item: Item,
  items: readonly Item[],
  exhibits: ReadonlyMap<string, Exhibit>,
): Verdict => {
  const bound = items.filter(
    ({ section, id }) => section === 'analysis' && item.analysisIds.includes(id) && id !== item.id,
  );
  const ids = item.citations.length > 0 ? item.citations : bound.flatMap(({ citations }) => citations);
  const cited = [...new Set(ids)].flatMap((id) => exhibits.get(id) ?? []);
  const text = textToGrade(item, bound);
  const current: Case = { item, statement: statementOf(text), cited, bound };
  const objection = objectionTo(current);
  return objection ? refused(item, objection) : accepted(current);
};

import type { Analysis, DiagnosisDraft, Fact } from '@inquest/contracts/draft';
import { typedChanges, wrongDirection } from '@inquest/evidence-rules/direction-words';
import { presencesOf } from '@inquest/evidence-rules/negatives';
import { proseFigures } from '@inquest/evidence-rules/prose-numbers';
import { conversion, measurement, unitAt } from '@inquest/evidence-rules/units';
import { resolvePointer } from '@inquest/evidence-rules/json-pointer';
import type { Chance } from './chance';
import type { Call, Subject } from './guarded-run';
import { otherUnit, STATES } from './leaves';

/** One thing made untrue: `analysisId` is the analysis that it lies in; `calls` a ledger in which one call has changed. */
export type Mutant = { calls?: readonly Call[]; analysisId: string };

/** Changes a copy of the draft in one place; null where the class does not apply to this draft. */
export type Mutate = (copy: DiagnosisDraft, subject: Subject, chance: Chance) => Mutant | null;

type Brand = Analysis['toolCallIds'][number];

const digitChanged = (text: string, chance: Chance): string => {
  const places = [...text].flatMap((char, i) => (/\d/.test(char) ? [i] : []));
  const at = chance.pick(places);
  if (at === undefined) return text;
  const digit = (Number(text[at]) + 1 + chance.below(9)) % 10;
  return text.slice(0, at) + String(digit) + text.slice(at + 1);
};

const letterChanged = (text: string, chance: Chance): string => {
  const places = [...text].flatMap((char, i) => (/[a-z]/i.test(char) ? [i] : []));
  const at = chance.pick(places);
  if (at === undefined) return text;
  const letters = [...'bcdfghjkmnpqrstvwxz'].filter((letter) => letter !== text[at]?.toLowerCase());
  return text.slice(0, at) + (chance.pick(letters) ?? 'q') + text.slice(at + 1);
};

const numberOf = (text: string): number | null => {
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
};

type Part<Key extends 'facts' | 'quotes' | 'entities' | 'derived'> = NonNullable<Analysis[Key]>[number];

const partsOf = <Key extends 'facts' | 'quotes' | 'entities' | 'derived'>(
  draft: DiagnosisDraft,
  key: Key,
): { analysis: Analysis; part: Part<Key> }[] =>
  draft.analyses.flatMap((analysis) =>
    (analysis[key] ?? []).map((part) => ({ analysis, part: part as Part<Key> })),
  );

const documentOf = ({ entries }: Subject, toolCallId: string): unknown => {
  const entry = entries.find((e) => e.toolCallId === toolCallId);
  return entry?.projection.inline === undefined
    ? undefined
    : (JSON.parse(entry.projection.inline) as unknown);
};

const numericFacts = (draft: DiagnosisDraft) =>
  partsOf(draft, 'facts').filter(
    (at): at is { analysis: Analysis; part: Fact & { value: number } } => typeof at.part.value === 'number',
  );

const digit: Mutate = (draft, _, chance) => {
  const chosen = chance.pick([...numericFacts(draft), ...partsOf(draft, 'derived')]);
  if (!chosen) return null;
  const before = chosen.part.value;
  const value = numberOf(digitChanged(String(before), chance));
  if (value === null || value === before) return null;
  chosen.part.value = value;
  return { analysisId: chosen.analysis.id };
};

/** Every place where a call is named for support or detail. */
const namings = (
  draft: DiagnosisDraft,
): { analysis: Analysis; get: () => string; set: (id: string) => void }[] =>
  draft.analyses.flatMap((analysis) => [
    ...analysis.toolCallIds.map((_, i) => ({
      analysis,
      get: (): string => analysis.toolCallIds[i] ?? '',
      set: (id: string) => void (analysis.toolCallIds[i] = id as Brand),
    })),
    ...[...(analysis.facts ?? []), ...(analysis.quotes ?? []), ...(analysis.entities ?? [])].map((part) => ({
      analysis,
      get: (): string => part.toolCallId,
      set: (id: string) => void (part.toolCallId = id as Brand),
    })),
  ]);

const id: Mutate = (draft, _, chance) => {
  const chosen = chance.pick(namings(draft));
  if (!chosen) return null;
  chosen.set(chance.next() < 0.5 ? digitChanged(chosen.get(), chance) : letterChanged(chosen.get(), chance));
  return { analysisId: chosen.analysis.id };
};

const idCase: Mutate = (draft, _, chance) => {
  const chosen = chance.pick(namings(draft));
  if (!chosen) return null;
  chosen.set(chance.next() < 0.5 ? chosen.get().toUpperCase() : `C${chosen.get().slice(1)}`);
  return { analysisId: chosen.analysis.id };
};

/** A unit that the evidence states, exchanged: for another of its dimension, or for one that measures something else. */
const unit: Mutate = (draft, subject, chance) => {
  const stated = numericFacts(draft).filter(({ part }) => {
    if (part.unit === undefined || part.value === 0) return false;
    const document = documentOf(subject, part.toolCallId);
    const actual = resolvePointer(document, part.path);
    if (!actual.found) return false;
    return typeof actual.value === 'string'
      ? measurement(actual.value) !== null
      : unitAt(document, part.path) !== null;
  });
  const chosen = chance.pick(stated);
  if (!chosen) return null;
  const { unit: before = '' } = chosen.part;
  const sibling = otherUnit(before);
  const stranger = conversion(before, 'ms') === null ? 'ms' : 'Mi';
  chosen.part.unit = sibling !== null && chance.next() < 0.6 ? sibling : stranger;
  return { analysisId: chosen.analysis.id };
};

const scoped = (draft: DiagnosisDraft) =>
  draft.analyses.flatMap((analysis) => (analysis.scope ? [{ analysis, scope: analysis.scope }] : []));

const scope: Mutate = (draft, _, chance) => {
  const chosen = chance.pick(
    scoped(draft).filter(
      ({ scope: s }) => s.service !== undefined || s.namespace !== undefined || s.filter !== undefined,
    ),
  );
  if (!chosen) return null;
  const { scope: claimed } = chosen;
  const key = chance.pick(
    (['service', 'namespace', 'filter'] as const).filter((k) => claimed[k] !== undefined),
  );
  if (key === undefined) return null;
  if (chance.next() < 0.5) delete claimed[key];
  else claimed[key] = letterChanged(claimed[key] ?? 'x', chance);
  return { analysisId: chosen.analysis.id };
};

const shifted = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString();

const window: Mutate = (draft, subject, chance) => {
  const chosen = chance.pick(scoped(draft).filter(({ scope: s }) => s.window !== undefined));
  const claimed = chosen?.scope.window;
  if (!chosen || !claimed) return null;
  const windows = subject.entries.flatMap(({ toolCallId, window: asked }) =>
    asked && chosen.analysis.toolCallIds.includes(toolCallId) ? [asked] : [],
  );
  const span = Math.max(...windows.map(({ from, to }) => Date.parse(to) - Date.parse(from)), 60_000);
  switch (chance.below(3)) {
    case 0:
      claimed.to = shifted(claimed.to, span);
      break;
    case 1:
      claimed.from = shifted(claimed.from, -span);
      break;
    default: {
      const by = (chance.next() < 0.5 ? -1 : 1) * 3_600_000 * (1 + chance.below(12));
      Object.assign(claimed, { from: shifted(claimed.from, by), to: shifted(claimed.to, by) });
    }
  }
  return { analysisId: chosen.analysis.id };
};

const quote: Mutate = (draft, _, chance) => {
  const chosen = chance.pick(partsOf(draft, 'quotes'));
  if (!chosen) return null;
  const { part } = chosen;
  const words = part.quote.split(' ');
  if (words.length > 2 && chance.next() < 0.3) words.splice(1, 1);
  const changed = words.join(' ');
  part.quote = changed !== part.quote && changed.length >= 8 ? changed : letterChanged(part.quote, chance);
  return { analysisId: chosen.analysis.id };
};

const entity: Mutate = (draft, subject, chance) => {
  const chosen = chance.pick(partsOf(draft, 'entities'));
  if (!chosen) return null;
  const { part } = chosen;
  const elsewhere = partsOf(draft, 'entities')
    .map(({ part: other }) => other.name)
    .filter((name) => !JSON.stringify(documentOf(subject, part.toolCallId) ?? '').includes(name));
  const other = chance.next() < 0.3 ? chance.pick(elsewhere) : undefined;
  part.name = other ?? letterChanged(part.name, chance);
  return { analysisId: chosen.analysis.id };
};

/** From what was seen to what was not, and back. */
const kind: Mutate = (draft, _, chance) => {
  // What counts nothing but zeroes is as true as a negative: such a change makes nothing untrue.
  const analysis = chance.pick(
    draft.analyses.filter((a) => a.kind === 'NEGATIVE_OBSERVATION' || presencesOf(a).length > 0),
  );
  if (!analysis) return null;
  analysis.kind = analysis.kind === 'NEGATIVE_OBSERVATION' ? 'OBSERVATION' : 'NEGATIVE_OBSERVATION';
  return { analysisId: analysis.id };
};

/** A typed state exchanged for another one, or the state of a cited call in the ledger. */
const status: Mutate = (draft, subject, chance) => {
  const states = partsOf(draft, 'facts').filter(({ part }) => STATES.includes(String(part.value)));
  const chosen = chance.next() < 0.5 ? chance.pick(states) : undefined;
  if (chosen) {
    const { part } = chosen;
    part.value = chance.pick(STATES.filter((state) => state !== part.value)) ?? 'Unknown';
    return { analysisId: chosen.analysis.id };
  }
  const analysis = chance.pick(draft.analyses.filter((a) => a.kind !== 'NEGATIVE_OBSERVATION'));
  const cited = analysis && chance.pick(analysis.toolCallIds);
  if (!analysis || cited === undefined) return null;
  const way = chance.below(3);
  const calls = subject.entries.map((entry): Call => {
    if (entry.toolCallId !== cited) return entry;
    if (way === 0) return { running: entry };
    return way === 1
      ? { ...entry, status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'ACCESS_DENIED' }
      : { ...entry, evidenceStatus: 'NO_EVIDENCE' };
  });
  return { analysisId: analysis.id, calls };
};

const magnitude: Mutate = (draft, _, chance) => {
  const chosen = chance.pick(
    [...numericFacts(draft), ...partsOf(draft, 'derived')].filter(({ part }) => part.value !== 0),
  );
  if (!chosen) return null;
  const factor = chance.pick([10, 100, 1000, 0.1, 0.01]) ?? 10;
  chosen.part.value = Number((chosen.part.value * factor).toPrecision(12));
  return { analysisId: chosen.analysis.id };
};

/** Equal, or numbers that round to the same second decimal, which is as exact as these drafts are. */
const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) ||
  (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < 0.01);

/** A fact that points at another place, with another value. */
const pointer: Mutate = (draft, subject, chance) => {
  const chosen = chance.pick(partsOf(draft, 'facts'));
  if (!chosen) return null;
  const { part } = chosen;
  const changed = digitChanged(part.path, chance);
  const document = documentOf(subject, part.toolCallId);
  const there = resolvePointer(document, changed);
  const before = resolvePointer(document, part.path);
  if (changed === part.path || !before.found) return null;
  if (there.found && isSame(there.value, before.value)) return null;
  part.path = changed;
  return { analysisId: chosen.analysis.id };
};

const derivedOperation: Mutate = (draft, subject, chance) => {
  // With a zero among them, sum and difference are one.
  const isZero = ({ toolCallId, path }: Part<'derived'>['operands'][number]) => {
    const at = resolvePointer(documentOf(subject, toolCallId), path);
    return !at.found || at.value === 0;
  };
  const chosen = chance.pick(partsOf(draft, 'derived').filter(({ part }) => !part.operands.some(isZero)));
  if (!chosen) return null;
  const { part } = chosen;
  if (part.operands.length === 2 && chance.next() < 0.5 && part.op !== 'sum' && part.op !== 'mean')
    part.operands.reverse();
  else part.op = part.op === 'diff' ? 'sum' : 'diff';
  return { analysisId: chosen.analysis.id };
};

const OPPOSITE: readonly [RegExp, string][] = [
  [/\brose\b/, 'fell'],
  [/\bfell\b/, 'rose'],
  [/\bclimbed\b/, 'dropped'],
  [/\bdropped\b/, 'climbed'],
  [/\bgrew\b/, 'shrank'],
  [/\bincreased\b/, 'decreased'],
  [/\bdecreased\b/, 'increased'],
];

const turned = (text: string): string => {
  const way = OPPOSITE.find(([word]) => word.test(text));
  return way ? text.replace(...way) : text;
};

/** `rose` for `fell`, where a typed change can be seen beside it (`typed`), or where it cannot. */
const direction =
  (typed: boolean): Mutate =>
  (draft, _, chance) => {
    const analysis = chance.pick(
      draft.analyses.filter((candidate) => {
        const text = turned(candidate.text);
        const seen = typedChanges(candidate).some((change) => wrongDirection(text, change) !== null);
        return text !== candidate.text && seen === typed;
      }),
    );
    if (!analysis) return null;
    analysis.text = turned(analysis.text);
    return { analysisId: analysis.id };
  };

const NEGATION = /\b(?:No|no)\s(?=\w)|\bnot\s|\bfound no entries\b|\bhold no line\b|\blogged no\b/;

/** A negative observation that says that there was something. */
const negation: Mutate = (draft, _, chance) => {
  const analysis = chance.pick(
    draft.analyses.filter(({ kind: of, text }) => of === 'NEGATIVE_OBSERVATION' && NEGATION.test(text)),
  );
  if (!analysis) return null;
  analysis.text = analysis.text.replace(NEGATION, (words) =>
    words.replace(/\b[Nn]o\b/, 'some').replace('not ', ''),
  );
  return { analysisId: analysis.id };
};

const POSITIVE = /\b(is|are|was|were|stayed|reached|logged|shows|allows)\b/;

/** What was seen, denied: nothing typed says so. */
const proseNegation: Mutate = (draft, _, chance) => {
  const analysis = chance.pick(
    draft.analyses.filter(({ kind: of, text }) => of !== 'NEGATIVE_OBSERVATION' && POSITIVE.test(text)),
  );
  if (!analysis) return null;
  analysis.text = analysis.text.replace(POSITIVE, (verb) =>
    /is|are|was|were/.test(verb) ? `${verb} not` : `never ${verb}`,
  );
  return { analysisId: analysis.id };
};

/** A figure in prose; it may by chance be another figure of the same output. */
const proseDigit: Mutate = (draft, _, chance) => {
  const analysis = chance.pick(draft.analyses.filter(({ text }) => proseFigures(text).numbers.length > 0));
  const figure = analysis && chance.pick(proseFigures(analysis.text).numbers);
  if (!analysis || !figure) return null;
  const digits = /\d[\d.,]*/.exec(figure.raw)?.[0] ?? figure.raw;
  const at = analysis.text.search(new RegExp(`(?<![\\w.-])${digits.replace(/[.]/g, '\\.')}(?![\\w])`));
  if (at < 0) return null;
  const changed = digitChanged(digits, chance);
  if (Number(changed) === Number(digits)) return null;
  analysis.text = analysis.text.slice(0, at) + changed + analysis.text.slice(at + digits.length);
  return { analysisId: analysis.id };
};

const CLOCK = /\b([01]\d|2[0-3]):([0-5])(\d)(?::([0-5])(\d))?/;

const clock: Mutate = (draft, _, chance) => {
  const analysis = chance.pick(draft.analyses.filter(({ text }) => CLOCK.test(text)));
  if (!analysis) return null;
  const by = 1 + chance.below(22);
  analysis.text = analysis.text.replace(CLOCK, (raw: string, hours: string) =>
    raw.replace(hours, String((Number(hours) + by) % 24).padStart(2, '0')),
  );
  return { analysisId: analysis.id };
};

/** Classes that the typed parts of a draft are to show, and those that only the judge can see. */
export type MutationClass = {
  name: string;
  mutate: Mutate;
  /** Who is to catch it: the deterministic rules, or the rules and the judge together; null: reported, not gated. */
  gate: 'RULES' | 'RULES_AND_JUDGE' | null;
};

export const CLASSES: readonly MutationClass[] = [
  { name: 'digit', mutate: digit, gate: 'RULES' },
  { name: 'id', mutate: id, gate: 'RULES' },
  { name: 'case of id', mutate: idCase, gate: 'RULES' },
  { name: 'unit', mutate: unit, gate: 'RULES' },
  { name: 'scope', mutate: scope, gate: 'RULES' },
  { name: 'window', mutate: window, gate: 'RULES' },
  { name: 'quote', mutate: quote, gate: 'RULES' },
  { name: 'entity', mutate: entity, gate: 'RULES' },
  { name: 'kind', mutate: kind, gate: 'RULES' },
  { name: 'status', mutate: status, gate: 'RULES' },
  { name: 'order of magnitude', mutate: magnitude, gate: 'RULES' },
  { name: 'pointer', mutate: pointer, gate: 'RULES' },
  { name: 'derived operation', mutate: derivedOperation, gate: 'RULES' },
  { name: 'direction word', mutate: direction(true), gate: 'RULES' },
  { name: 'negation', mutate: negation, gate: 'RULES_AND_JUDGE' },
  { name: 'digit in prose', mutate: proseDigit, gate: null },
  { name: 'clock in prose', mutate: clock, gate: null },
  { name: 'direction word, untyped', mutate: direction(false), gate: null },
  { name: 'negation, untyped', mutate: proseNegation, gate: null },
];

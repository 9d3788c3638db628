import type { Analysis, DiagnosisDraft, Fact, Quote } from '@inquest/contracts/draft';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { evidenceTimes } from '@inquest/evidence-rules/evidence-times';
import { conversion } from '@inquest/evidence-rules/units';
import { offsetAt } from '@inquest/evidence-rules/zone-offset';
import type { Chance } from './chance';
import { exhibitOf, otherUnit, type Exhibit, type Leaf } from './leaves';
import type { SnapshotCase } from './snapshot-cases';

type Body = Omit<Analysis, 'id'>;
type Id = Analysis['toolCallIds'][number];

/** What a row is about: the name that stands nearest before a place, in the same row. */
const subjectOf = ({ names }: Exhibit, { path }: Leaf): string | null => {
  const row = /^\/rows\/\d+/.exec(path)?.[0];
  return names.find((name) => row !== undefined && name.path.startsWith(`${row}/`))?.value ?? null;
};

const said = (exhibit: Exhibit, leaf: Leaf, value: string): string => {
  const subject = subjectOf(exhibit, leaf);
  const field = leaf.path.endsWith('/value') ? leaf.path.replace(/value$/, 'field') : null;
  const beside = field === null ? undefined : exhibit.leaves.find(({ path }) => path === field);
  const what = typeof beside?.value === 'string' ? beside.value : leaf.key;
  return subject === null ? `The field ${what} reads ${value}.` : `${subject} shows ${what} ${value}.`;
};

const factsOf = (exhibit: Exhibit, chance: Chance): { facts: Fact[]; sentences: string[] } => {
  const { entry, numbers, measured, states } = exhibit;
  const toolCallId = entry.toolCallId;
  const facts: Fact[] = [];
  const sentences: string[] = [];
  if (entry.matched !== null && entry.matched > 1) {
    facts.push({ toolCallId, path: '/matched', value: entry.matched, policy: 'exact' });
    sentences.push(`${entry.tool} matched ${entry.matched} entries.`);
  }
  for (const leaf of chance.some(numbers, 2)) {
    const isFraction = !Number.isInteger(leaf.value);
    const policy = isFraction ? 'rounded(2)' : 'exact';
    const value = isFraction ? Math.round(leaf.value * 100) / 100 : leaf.value;
    facts.push({ toolCallId, path: leaf.path, value, policy });
    sentences.push(said(exhibit, leaf, String(Math.abs(value))));
  }
  for (const leaf of chance.some(measured, 2)) {
    const other = chance.next() < 0.5 ? otherUnit(leaf.unit) : null;
    const factor = other === null ? 1 : (conversion(leaf.unit, other) ?? 1);
    const unit = other ?? leaf.unit;
    const value = Number((leaf.number * factor).toPrecision(12));
    facts.push({ toolCallId, path: leaf.path, value, unit, policy: 'exact' });
    if (other === null) sentences.push(said(exhibit, leaf, leaf.value));
  }
  for (const leaf of chance.some(states, 1)) {
    facts.push({ toolCallId, path: leaf.path, value: leaf.value, policy: 'exact' });
    sentences.push(said(exhibit, leaf, leaf.value));
  }
  return { facts, sentences };
};

/** A piece of one text, from word to word. */
const quoteIn = (leaf: Leaf & { value: string }, toolCallId: Id, chance: Chance): Quote[] => {
  const words = leaf.value.split(' ');
  const from = chance.below(Math.max(1, words.length - 3));
  const quote = words
    .slice(from, from + 3 + chance.below(6))
    .join(' ')
    .trim()
    .slice(0, 160);
  return quote.length >= 12 && quote.trim() === quote ? [{ toolCallId, path: leaf.path, quote }] : [];
};

/** Two values of one column: their difference, or their change in per cent with the word for it. */
const derivedOf = (
  { entry, numbers, leaves }: Exhibit,
  chance: Chance,
): Pick<Body, 'derived'> & { sentence?: string } => {
  const a = chance.pick(numbers);
  const b =
    a &&
    chance.pick(
      numbers.filter(({ key, path, value }) => key === a.key && path !== a.path && value !== a.value),
    );
  if (!a || !b || leaves.length === 0) return {};
  const operands = [a, b].map(({ path }) => ({ toolCallId: entry.toolCallId, path }));
  if (a.value !== 0 && chance.next() < 0.6) {
    const value = Math.round(((b.value - a.value) / Math.abs(a.value)) * 1000) / 10;
    if (value !== 0) {
      const word = value > 0 ? 'rose' : 'fell';
      return {
        derived: [{ op: 'pct_change', operands, value, unit: '%', policy: 'rounded(1)' }],
        sentence: `From one to the other it ${word} by ${Math.abs(value)} %.`,
      };
    }
  }
  const value = Math.round((a.value - b.value) * 1e6) / 1e6;
  return {
    derived: [{ op: 'diff', operands, value, policy: 'rounded(6)' }],
    sentence: `They are ${Math.abs(value)} apart.`,
  };
};

/** A time of the output, told in the zone of the run. */
const timeSentence = ({ entry }: Exhibit, zone: string, chance: Chance): string | null => {
  const time = chance.pick(
    evidenceTimes(entry.projection.inline ?? '').filter(({ epochMs }) => epochMs !== null),
  );
  if (!time || time.epochMs === null) return null;
  const isUtc = chance.next() < 0.5;
  const shown = new Date(time.epochMs + (isUtc ? 0 : offsetAt(zone, time.epochMs) * 1000)).toISOString();
  return `One entry is from ${shown.slice(11, 19)}${isUtc ? 'Z' : ''}.`;
};

const inner = ({ window }: LedgerEntry): { window?: { from: string; to: string } } =>
  window
    ? {
        window: {
          from: new Date(Date.parse(window.from) + 60_000).toISOString(),
          to: new Date(Date.parse(window.to) - 60_000).toISOString(),
        },
      }
    : {};

const observation = (exhibit: Exhibit, zone: string, chance: Chance): Body => {
  const { entry, texts, names } = exhibit;
  const { facts, sentences } = factsOf(exhibit, chance);
  const quotes = chance.some(texts, 2).flatMap((leaf) => quoteIn(leaf, entry.toolCallId, chance));
  const { sentence, ...derived } = derivedOf(exhibit, chance);
  const time = timeSentence(exhibit, zone, chance);
  const text = [...sentences, sentence, time].filter((part) => part !== undefined && part !== null).join(' ');
  const entities = chance
    .some(names, 2)
    .map(({ value }) => ({ type: 'other' as const, name: value, toolCallId: entry.toolCallId }));
  return {
    kind: 'OBSERVATION',
    text: text === '' ? `${entry.tool} answered.` : text,
    toolCallIds: [entry.toolCallId],
    scope: { ...entry.scope, ...inner(entry) },
    ...(facts.length > 0 ? { facts } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(entities.length > 0 ? { entities } : {}),
    ...derived,
  };
};

const negative = (entry: LedgerEntry): Body => ({
  kind: 'NEGATIVE_OBSERVATION',
  text: `${entry.tool} found no entries in namespace ${entry.scope.namespace ?? 'default'}.`,
  toolCallIds: [entry.toolCallId],
  scope: { ...entry.scope, ...inner(entry) },
});

const correlation = (bodies: readonly Body[]): Body[] => {
  const [first, second] = bodies.filter(({ kind, facts = [] }) => kind === 'OBSERVATION' && facts.length > 0);
  if (!first || !second) return [];
  return [
    {
      kind: 'CORRELATION',
      text: 'Both of them may belong together.',
      toolCallIds: [...new Set([...first.toolCallIds, ...second.toolCallIds])],
      facts: [...(first.facts ?? []), ...(second.facts ?? [])].slice(0, 4),
      ...(first.quotes ? { quotes: first.quotes } : {}),
    },
  ];
};

/** A report about real outputs in which every typed detail is true; the prose says what the details say. */
export const snapshotDraft = ({ entries, zone }: SnapshotCase, chance: Chance): DiagnosisDraft => {
  const found = entries.filter(({ evidenceStatus }) => evidenceStatus === 'EVIDENCE_FOUND');
  const nothing = entries.filter(({ evidenceStatus }) => evidenceStatus === 'NO_EVIDENCE');
  const seen = chance.some(found, 8).map((entry) => observation(exhibitOf(entry), zone, chance));
  const bodies = [...seen, ...correlation(seen), ...chance.some(nothing, 3).map(negative)];
  const analyses: Analysis[] = bodies.map((body, i) => ({ id: `a${i + 1}`, ...body }));
  const ids = analyses.map(({ id }) => id);
  const cut = entries.filter(({ truncated }) => truncated).map(({ toolCallId }) => toolCallId);
  const bound = analyses.find(({ kind }) => kind === 'CORRELATION');
  return {
    conclusion: {
      status: 'INCONCLUSIVE',
      text: 'The evidence does not single out a cause.',
      analysisIds: ids,
    },
    analyses,
    actionPlan: [{ id: 'p1', text: 'Look at the entries that are named here.', analysisIds: ids }],
    recommendations: [],
    limitations: cut.length > 0 ? [{ id: 'l1', text: 'Some outputs were cut.', toolCallIds: cut }] : [],
    ...(bound
      ? { candidates: [{ rank: 1, object: 'app/unknown', cause: 'unknown', analysisId: bound.id }] }
      : {}),
  };
};

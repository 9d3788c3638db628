import type { Analysis, AnalysisKind, ConclusionStatus, DiagnosisDraft } from '@inquest/contracts/draft';
import { hasWhole } from '../entity-names';
import { foldText, quotedSpans } from '../fold-text';
import { proseItems } from '../prose-items';
import type { Reading } from '../prose-numbers';
import type { DraftReading } from '../read-draft';
import type { DraftView, Finding, Rule } from '../rule';
import { figuresIn } from '../figures-in';
import { TextIndex } from '../text-index';

/** Members that say where something stands, not what is claimed. */
const ADDRESSES = new Set([
  'path',
  'toolCallId',
  'toolCallIds',
  'analysisIds',
  'analysisId',
  'id',
  'rank',
  'policy',
  'documentIds',
]);

/** What the rejected draft claimed: its texts and values without its references. A text that was no JSON counts as it is. */
const claimsOf = ({ text, raw }: DraftReading): TextIndex => {
  if (raw === undefined) return new TextIndex(text, text);
  const claims: unknown = JSON.parse(
    JSON.stringify(raw, (key, value: unknown) => (ADDRESSES.has(key) ? undefined : value)),
  );
  return new TextIndex(undefined, claims);
};

const idsOf = (raw: unknown, section: string): Set<unknown> | null => {
  const items =
    typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[section] : undefined;
  return Array.isArray(items) ? new Set(items.map((item: { id?: unknown } | null) => item?.id)) : null;
};

const STRENGTH: Record<AnalysisKind, number> = {
  NEGATIVE_OBSERVATION: 0,
  OBSERVATION: 1,
  CORRELATION: 2,
  CAUSE: 3,
};
const STATUS_STRENGTH: Record<ConclusionStatus, number> = {
  NO_FAULT_FOUND: 0,
  INCONCLUSIVE: 0,
  PROBABLE_CAUSE: 1,
  ROOT_CAUSE_IDENTIFIED: 2,
};

function* addedItems(view: DraftView, previous: DraftReading): Generator<Finding> {
  const { diagnosis, answer } = view.reading;
  const sections = {
    analyses: diagnosis?.analyses,
    actionPlan: diagnosis?.actionPlan,
    recommendations: diagnosis?.recommendations,
    items: answer?.items,
  };
  for (const [section, items = []] of Object.entries(sections)) {
    const before = idsOf(previous.raw, section);
    if (!before) continue;
    for (const [i, { id }] of items.entries()) {
      if (!before.has(id))
        yield { path: `/${section}/${i}`, analysisId: id, message: 'a repair adds no items but limitations' };
    }
  }
}

function* strengthened(draft: DiagnosisDraft, previous: DraftReading): Generator<Finding> {
  const before = previous.diagnosis;
  if (!before) return;
  const kinds = new Map(before.analyses.map(({ id, kind }) => [id, kind]));
  for (const [i, { id, kind }] of draft.analyses.entries()) {
    const old = kinds.get(id);
    if (old && STRENGTH[kind] > STRENGTH[old]) {
      yield {
        path: `/analyses/${i}/kind`,
        analysisId: id,
        message: `a repair makes no claim stronger: this was ${old}`,
      };
    }
  }
  const { status } = before.conclusion;
  if (STATUS_STRENGTH[draft.conclusion.status] > STATUS_STRENGTH[status]) {
    yield {
      path: '/conclusion/status',
      message: `a repair makes no conclusion stronger: this was ${status}`,
    };
  }
}

const exactly = (value: number): Reading => ({ value: Math.abs(value), resolution: 0, digits: 0 });

/** Typed members that were not claimed before. Zero may come in: it is how an analysis is turned negative. */
function* addedDetails(analysis: Analysis, at: string, claims: TextIndex): Generator<Finding> {
  const words = claims.haystack();
  const { id: analysisId, facts = [], quotes = [], entities = [], derived = [] } = analysis;
  const isNew = (value: unknown): boolean => {
    if (typeof value === 'number') return value !== 0 && !claims.hasNumber(exactly(value));
    if (Array.isArray(value)) return value.some(isNew);
    return typeof value === 'string' && !words.includes(foldText(value));
  };
  for (const [k, { value }] of facts.entries()) {
    if (isNew(value))
      yield {
        path: `${at}/facts/${k}/value`,
        analysisId,
        message: 'a repair adds no values: delete the fact, or point it at where its value stands',
      };
  }
  for (const [k, { value }] of derived.entries()) {
    if (isNew(value))
      yield { path: `${at}/derived/${k}/value`, analysisId, message: 'a repair adds no numbers' };
  }
  for (const [k, { quote }] of quotes.entries()) {
    if (isNew(quote))
      yield { path: `${at}/quotes/${k}/quote`, analysisId, message: 'a repair adds no quotes' };
  }
  for (const [k, { name }] of entities.entries()) {
    if (!hasWhole(words, foldText(name)))
      yield { path: `${at}/entities/${k}/name`, analysisId, message: 'a repair adds no entities' };
  }
}

function* addedWords(view: DraftView, claims: TextIndex): Generator<Finding> {
  for (const { path, text, section, id } of proseItems(view.reading)) {
    // A limitation may be what the repair is for; rule 28 holds it to what is known about its calls.
    if (section === 'limitation') continue;
    const { numbers, times } = figuresIn(view, text);
    for (const { raw, readings } of numbers) {
      if (readings.some((r) => r.value === 0 || claims.hasNumber(r) || claims.hasSpeltNumber(r))) continue;
      yield { path, analysisId: id, message: `a repair adds no numbers: ${raw.slice(0, 24)} is new` };
    }
    for (const time of times) {
      if (!claims.hasTime(time, view.input.zone))
        yield { path, analysisId: id, message: 'a repair adds no times' };
    }
    for (const quote of quotedSpans(text)) {
      if (!claims.haystack().includes(foldText(quote)))
        yield { path, analysisId: id, message: 'a repair adds no quotes' };
    }
  }
}

export const repairMonotone: Rule = {
  id: '42 REPAIR_MONOTONE',
  meaning:
    'The one repair has no tools, so that whatever it adds is invented. It deletes, retargets, narrows, turns negative; beyond that only limitations come in.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { previous, reading } = view;
    if (!previous) return;
    const claims = claimsOf(previous);
    yield* addedItems(view, previous);
    if (reading.diagnosis) yield* strengthened(reading.diagnosis, previous);
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries())
      yield* addedDetails(analysis, `/analyses/${i}`, claims);
    yield* addedWords(view, claims);
  },
};

import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { Attention } from '@inquest/contracts/evidence-facts';
import type { ReviewItem, Snapshot, SnapshotEvidence } from '@inquest/contracts/semantic-facts';
import { citationsOf } from './citations';
import { proseItems, type ProseItem } from './prose-items';
import { quoteOffset } from './quote-search';
import type { DraftReading } from './read-draft';
import type { DraftView } from './rule';

export type FrozenSnapshot = { snapshot: Snapshot; text: string; hash: string };

/** The items of a draft by their path's first two segments, as canonical text: what a repair changed differs in it. */
const partsOf = ({ raw }: DraftReading): Set<string> => {
  const parts = new Set<string>();
  if (typeof raw !== 'object' || raw === null) return parts;
  for (const [section, value] of Object.entries(raw)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      parts.add(`${section} ${canonicalJson(item)}`);
  }
  return parts;
};

const partAt = (raw: unknown, path: string): string => {
  const [, section = '', index = ''] = path.split('/');
  const value = (raw as Record<string, unknown>)[section];
  return `${section} ${canonicalJson(Array.isArray(value) ? (value as unknown[])[Number(index)] : value)}`;
};

/** Typed members of an analysis as the judge sees them; quotes with where they begin in the projection. */
const factsOf = (view: DraftView, item: ProseItem): unknown[] => {
  const quotes = (list: readonly { toolCallId: string; quote: string }[] = []) =>
    list.map(({ toolCallId, quote }) => {
      const index = view.ledger.byId.get(toolCallId)?.index;
      return { toolCallId, quote, offset: index ? quoteOffset(index, quote) : null };
    });
  if (item.section === 'answer')
    return quotes(view.reading.answer?.items.find(({ id }) => id === item.id)?.quotes);
  const [analysis] = item.section === 'analysis' ? item.analyses : [];
  return analysis ? [...(analysis.facts ?? []), ...(analysis.derived ?? []), ...quotes(analysis.quotes)] : [];
};

const reviewItem = (
  view: DraftView,
  item: ProseItem,
  before: ReadonlySet<string> | null,
  attention: readonly Attention[],
): ReviewItem => {
  const [analysis] = item.section === 'analysis' ? item.analyses : [];
  const isRepaired = before !== null && !before.has(partAt(view.reading.raw, item.path));
  const noted = attention
    .filter(({ itemId }) => itemId === item.id)
    .map(({ ruleId }) => `attention: ${ruleId}`);
  return {
    id: item.id,
    section: item.section,
    kind: analysis?.kind ?? null,
    text: item.text,
    facts: factsOf(view, item),
    scope: analysis?.scope ?? null,
    citations: [...item.toolCallIds],
    analysisIds: item.section === 'analysis' ? [] : item.analyses.map(({ id }) => id),
    flags: [...(isRepaired ? ['repaired'] : []), ...new Set(noted)],
  };
};

const evidenceOf = (view: DraftView): SnapshotEvidence[] => {
  const cited = new Set([...citationsOf(view.reading)].map(({ toolCallId }) => toolCallId));
  return view.ledger.calls.flatMap(({ toolCallId, entry, index }) =>
    entry && index && cited.has(toolCallId)
      ? [
          {
            toolCallId: entry.toolCallId,
            tool: entry.tool,
            scope: entry.scope,
            window: entry.window,
            evidenceStatus: entry.evidenceStatus,
            truncated: entry.truncated,
            sha256: entry.projection.sha256,
            projection: index.text,
          },
        ]
      : [],
  );
};

/** Freezes an accepted draft: its exact bytes, what is to be judged in it, and the evidence it cites, as canonical JSON (rule 44). */
export const freezeSnapshot = (view: DraftView, attention: readonly Attention[]): FrozenSnapshot => {
  const { input, reading, previous } = view;
  const before = previous && partsOf(previous);
  const snapshot: Snapshot = {
    schema: 'inquest.snapshot.v1',
    runId: input.runId,
    intent: input.intent,
    revision: input.revision,
    question: input.question,
    report: input.draftText,
    reportHash: sha256(input.draftText),
    items: proseItems(reading).map((item) => reviewItem(view, item, before, attention)),
    evidence: evidenceOf(view),
    ruleSet: input.ruleSet,
  };
  const text = canonicalJson(snapshot);
  return { snapshot, text, hash: sha256(text) };
};

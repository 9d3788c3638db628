import { z } from 'zod';
import { Sha256 } from '@inquest/contracts/ids';
import {
  type ItemVerdict,
  ReasonCode,
  type ReviewItem,
  type Snapshot,
} from '@inquest/contracts/semantic-facts';
import { readJson } from '@inquest/evidence-rules/json-text';
import { quoteProblem } from '@inquest/evidence-rules/quote-search';
import { TextIndex } from '@inquest/evidence-rules/text-index';
import { jsonTextOf } from '@inquest/model-client/json-answer';
import { scopeHashOf } from './judge-document';
import { plantedIn, speaksToAModel } from './planted-text';

const ANSWER_CHARS_MAX = 1_000_000;

const WireVerdict = z.strictObject({
  item_id: z.string(),
  verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
  reason_code: ReasonCode,
  evidence_quote: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  scope_hash: z.string().nullable(),
});
type WireVerdict = z.infer<typeof WireVerdict>;

export const WireAnswer = z.strictObject({ snapshotHash: z.string(), verdicts: z.array(WireVerdict).min(1) });

/** Why an answer is no verdict: fixed words, for the log. */
export type InvalidAnswer =
  | 'NOT_STOPPED'
  | 'NOT_ONE_JSON_OBJECT'
  | 'DUPLICATE_KEY'
  | 'SCHEMA'
  | 'OTHER_SNAPSHOT'
  | 'ITEM_IDS'
  | 'REASON'
  | 'CITATION'
  | 'QUOTE'
  | 'SCOPE_ECHO'
  /** Support for a report, or by a quote, that no verdict may support: see planted-text. */
  | 'PLANTED_TEXT';

export type Validation =
  | { kind: 'VALID'; verdict: 'SUPPORTED' | 'UNSUPPORTED'; verdicts: ItemVerdict[] }
  | { kind: 'INVALID'; why: InvalidAnswer };

export type JudgeAnswer = { text: string; finishReason: string | null };

const invalid = (why: InvalidAnswer): Validation => ({ kind: 'INVALID', why });

/**
 * A verdict is valid only whole (semantic-guard contract, 4): every item of the snapshot exactly once, and every
 * SUPPORTED backed by a quote that stands where it says. Whatever else the judge wrote is no verdict, and no verdict
 * releases nothing.
 */
export const validateVerdicts = (
  answer: JudgeAnswer,
  snapshot: Snapshot,
  snapshotHash: string,
): Validation => {
  if (answer.finishReason !== 'stop') return invalid('NOT_STOPPED');
  const json = jsonTextOf(answer.text, { thoughtCounts: false });
  const reading = json === undefined ? undefined : readJson(json, ANSWER_CHARS_MAX);
  if (reading?.kind !== 'JSON') return invalid('NOT_ONE_JSON_OBJECT');
  if (reading.duplicateKeys.length > 0) return invalid('DUPLICATE_KEY');
  const parsed = WireAnswer.safeParse(reading.value);
  if (!parsed.success) return invalid('SCHEMA');
  const { verdicts } = parsed.data;
  if (parsed.data.snapshotHash !== snapshotHash) return invalid('OTHER_SNAPSHOT');
  const byItem = new Map(verdicts.map((verdict) => [verdict.item_id, verdict]));
  const complete = verdicts.length === snapshot.items.length && byItem.size === verdicts.length;
  if (!complete || snapshot.items.some(({ id }) => !byItem.has(id))) return invalid('ITEM_IDS');
  const evidence = new Evidence(snapshot);
  for (const item of snapshot.items) {
    const verdict = byItem.get(item.id);
    const why = verdict?.verdict === 'SUPPORTED' ? supportProblem(item, verdict, evidence) : undefined;
    if (why) return invalid(why);
  }
  const verdict = verdicts.every((v) => v.verdict === 'SUPPORTED') ? 'SUPPORTED' : 'UNSUPPORTED';
  // A judge that passes what was written to make it pass has been talked into it. Its refusals still count.
  if (verdict === 'SUPPORTED' && plantedIn(snapshot)) return invalid('PLANTED_TEXT');
  return { kind: 'VALID', verdict, verdicts: verdicts.map(recorded) };
};

/** The snapshot's evidence as questions are asked of it; a projection is prepared at its first quote. */
class Evidence {
  private readonly indexes = new Map<string, TextIndex>();

  constructor(private readonly snapshot: Snapshot) {}

  boundTo(item: ReviewItem): ReviewItem[] {
    return this.snapshot.items.filter(({ id }) => item.analysisIds.includes(id));
  }

  holds(toolCallId: string, quote: string): boolean {
    const source = this.snapshot.evidence.find((evidence) => evidence.toolCallId === toolCallId);
    if (!source) return false;
    const index = this.indexes.get(toolCallId) ?? new TextIndex(source.projection, parsed(source.projection));
    this.indexes.set(toolCallId, index);
    return quoteProblem(index, quote, undefined) === null;
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const isNegative = ({ kind }: Pick<ReviewItem, 'kind'>): boolean => kind === 'NEGATIVE_OBSERVATION';

const supportProblem = (
  item: ReviewItem,
  verdict: WireVerdict,
  evidence: Evidence,
): InvalidAnswer | undefined => {
  const { evidence_quote: quote, tool_call_id: toolCallId, scope_hash: scopeHash } = verdict;
  if (verdict.reason_code !== 'ENTAILED') return 'REASON';
  const bound = evidence.boundTo(item);
  const citable = item.citations.length > 0 ? item.citations : bound.flatMap(({ citations }) => citations);
  if (isNegative(item)) {
    if (quote !== null) return 'QUOTE';
    if (toolCallId === null || !item.citations.includes(toolCallId)) return 'CITATION';
    return scopeHash === scopeHashOf(item) ? undefined : 'SCOPE_ECHO';
  }
  if (scopeHash !== null) return 'SCOPE_ECHO';
  if (quote === null && item.section === 'limitation') {
    return toolCallId === null || citable.includes(toolCallId) ? undefined : 'CITATION';
  }
  if (toolCallId === null || !citable.includes(toolCallId)) return 'CITATION';
  const restsOnNegatives = item.citations.length === 0 && bound.length > 0 && bound.every(isNegative);
  if (quote === null) return restsOnNegatives ? undefined : 'QUOTE';
  if (!evidence.holds(toolCallId, quote)) return 'QUOTE';
  return speaksToAModel(quote) ? 'PLANTED_TEXT' : undefined;
};

const QUOTE_CHARS_MAX = 1_000;

/** What an UNSUPPORTED says beside its verdict was not checked, so it is only bounded. */
const recorded = (verdict: WireVerdict): ItemVerdict => ({
  itemId: verdict.item_id,
  verdict: verdict.verdict,
  reasonCode: verdict.reason_code,
  evidenceQuote: verdict.evidence_quote?.slice(0, QUOTE_CHARS_MAX).toWellFormed() ?? null,
  toolCallId: verdict.tool_call_id?.slice(0, 128) ?? null,
  scopeHash: Sha256.safeParse(verdict.scope_hash).data ?? null,
});

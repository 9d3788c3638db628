import type { DraftReading } from './read-draft';

/** One naming of a call in a draft. `analysisId` is set for analyses and for the items of an answer. */
export type Citation = {
  path: string;
  toolCallId: string;
  analysisId?: string | undefined;
  /** What the call is named for: support of a statement, a detail inside it, or a limitation. */
  use: 'SUPPORT' | 'DETAIL' | 'LIMITATION';
};

/** Every citation of a draft, in its order. */
export function* citationsOf(reading: DraftReading): Generator<Citation> {
  for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
    const at = `/analyses/${i}`;
    const of = (path: string, toolCallId: string, use: Citation['use']): Citation => ({
      path,
      toolCallId,
      analysisId: analysis.id,
      use,
    });
    for (const [k, id] of analysis.toolCallIds.entries()) yield of(`${at}/toolCallIds/${k}`, id, 'SUPPORT');
    for (const [k, fact] of (analysis.facts ?? []).entries())
      yield of(`${at}/facts/${k}/toolCallId`, fact.toolCallId, 'DETAIL');
    for (const [k, quote] of (analysis.quotes ?? []).entries())
      yield of(`${at}/quotes/${k}/toolCallId`, quote.toolCallId, 'DETAIL');
    for (const [k, entity] of (analysis.entities ?? []).entries())
      yield of(`${at}/entities/${k}/toolCallId`, entity.toolCallId, 'DETAIL');
    for (const [k, derived] of (analysis.derived ?? []).entries()) {
      for (const [o, operand] of derived.operands.entries()) {
        yield of(`${at}/derived/${k}/operands/${o}/toolCallId`, operand.toolCallId, 'DETAIL');
      }
    }
  }
  for (const [i, limitation] of (reading.diagnosis?.limitations ?? []).entries()) {
    for (const [k, toolCallId] of limitation.toolCallIds.entries()) {
      yield { path: `/limitations/${i}/toolCallIds/${k}`, toolCallId, use: 'LIMITATION' };
    }
  }
  for (const [i, item] of (reading.answer?.items ?? []).entries()) {
    yield {
      path: `/items/${i}/toolCallId`,
      toolCallId: item.toolCallId,
      analysisId: item.id,
      use: 'SUPPORT',
    };
    for (const [k, quote] of (item.quotes ?? []).entries()) {
      yield {
        path: `/items/${i}/quotes/${k}/toolCallId`,
        toolCallId: quote.toolCallId,
        analysisId: item.id,
        use: 'DETAIL',
      };
    }
  }
}

/**
 * The citations on which a statement rests, each once: an analysis cites a call, and a detail names a call of its own only
 * where its analysis does not cite it. What is wrong with the call is wrong with everything that was read from it.
 */
export function* restingCitations(reading: DraftReading): Generator<Citation> {
  const cited = new Set<string>();
  for (const citation of citationsOf(reading)) {
    if (citation.use === 'LIMITATION') continue;
    const key = `${citation.analysisId} ${citation.toolCallId}`;
    if (citation.use === 'DETAIL' && cited.has(key)) continue;
    if (citation.use === 'SUPPORT') cited.add(key);
    yield citation;
  }
}

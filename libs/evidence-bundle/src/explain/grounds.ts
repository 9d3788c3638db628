import type { Analysis, AnswerItem } from '@inquest/contracts/draft';
import type { Ground } from '@inquest/contracts/explanation';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { ReviewItem } from '@inquest/contracts/semantic-facts';
import type { Evidence } from './evidence';
import { BORROWING_RULE, rulesOfGround } from './rules-of';

const borrowed = ({ rules }: Ground): string[] => [BORROWING_RULE, ...rules];

const DOCUMENT_RULES = rulesOfGround('DOCUMENT', 'answer');

const quoteGround = (
  { toolCallId, quote, path }: { toolCallId: ToolCallId; quote: string; path?: string | undefined },
  section: ReviewItem['section'],
  evidence: Evidence,
): Ground => ({
  kind: 'QUOTE',
  ...evidence.source(toolCallId),
  path: path ?? null,
  quote,
  offset: evidence.offset(toolCallId, quote),
  analysisId: null,
  rules: rulesOfGround('QUOTE', section),
});

/** The calls that an item cites, each as a whole. A call without a result, such as a limitation's, has none to show. */
export const callGrounds = (ids: readonly string[], evidence: Evidence): Ground[] =>
  [...new Set(ids)].flatMap((id): Ground[] => {
    const entry = evidence.entry(id);
    if (!entry) return [];
    const { toolCallId, evidenceStatus, scope, window } = entry;
    const rules = rulesOfGround('CALL', 'analysis');
    const about = { evidenceStatus, scope, window, analysisId: null, rules };
    return [{ kind: 'CALL', ...evidence.source(toolCallId), ...about }];
  });

/** The typed members of an analysis: each was checked against the very bytes it names. */
export const analysisGrounds = (analysis: Analysis, evidence: Evidence): Ground[] => {
  const { facts = [], derived = [], quotes = [], entities = [] } = analysis;
  return [
    ...facts.map(({ toolCallId, path, value, unit, policy }): Ground => ({
      kind: 'FACT',
      ...evidence.source(toolCallId),
      path,
      stated: value,
      unit: unit ?? null,
      policy,
      found: evidence.at(toolCallId, path),
      analysisId: null,
      rules: rulesOfGround('FACT', 'analysis'),
    })),
    ...derived.map(({ op, value, unit, operands }): Ground => ({
      kind: 'DERIVED',
      op,
      stated: value,
      unit: unit ?? null,
      operands: operands.map(({ toolCallId, path }) => ({
        ...evidence.source(toolCallId),
        path,
        found: evidence.at(toolCallId, path),
      })),
      analysisId: null,
      rules: rulesOfGround('DERIVED', 'analysis'),
    })),
    ...quotes.map((quote) => quoteGround(quote, 'analysis', evidence)),
    ...entities.map(({ type, name, toolCallId }): Ground => ({
      kind: 'ENTITY',
      ...evidence.source(toolCallId),
      type,
      name,
      offset: evidence.offset(toolCallId, name),
      analysisId: null,
      rules: rulesOfGround('ENTITY', 'analysis'),
    })),
  ];
};

const sameGround = (ground: Ground): string => {
  switch (ground.kind) {
    case 'ENTITY':
      return `ENTITY ${ground.name}`;
    case 'FACT':
      return `FACT ${ground.toolCallId} ${ground.path}`;
    case 'QUOTE':
      return `QUOTE ${ground.toolCallId} ${ground.quote}`;
    case 'DERIVED':
    case 'NUMBER':
    case 'DOCUMENT':
    case 'CALL':
      return JSON.stringify(ground);
  }
};

/** The evidence of the analyses that an item rests on, each piece once: what its sentences may speak of. */
export const borrowedGrounds = (analyses: readonly Analysis[], evidence: Evidence): Ground[] => {
  const once = new Map<string, Ground>();
  for (const analysis of analyses) {
    for (const ground of analysisGrounds(analysis, evidence)) {
      const key = sameGround(ground);
      if (!once.has(key)) once.set(key, { ...ground, analysisId: analysis.id, rules: borrowed(ground) });
    }
  }
  return [...once.values()];
};

/** The documents of a knowledge answer, and what is quoted from them. */
export const answerGrounds = (
  { toolCallId, documentIds, quotes = [] }: AnswerItem,
  evidence: Evidence,
): Ground[] => {
  const rendered = new Map(
    (evidence.entry(toolCallId)?.documents ?? []).map(({ id, versionHash }) => [id, versionHash]),
  );
  return [
    ...documentIds.map((documentId): Ground => ({
      kind: 'DOCUMENT',
      ...evidence.source(toolCallId),
      documentId,
      versionHash: rendered.get(documentId) ?? null,
      analysisId: null,
      rules: DOCUMENT_RULES,
    })),
    ...quotes.map((quote) => quoteGround(quote, 'answer', evidence)),
  ];
};

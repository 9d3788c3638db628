import type { EvaluatorRequested } from '@inquest/contracts/case-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ChatMessage } from '@inquest/model-client/chat-request';
import { neutralised } from '../judge/judge-document';
import { EVALUATOR_PROMPTS } from '../prompts/diagnosis-early';

export type EvaluatorEvidence = { entry: LedgerEntry; projection: string };

/** All that an evaluator could be shown, in one text: what a boundary must not occur in. */
export const shownText = (
  request: EvaluatorRequested,
  evidence: ReadonlyMap<string, EvaluatorEvidence>,
): string =>
  JSON.stringify([request.question, request.hypotheses]) +
  [...evidence.values()].map(({ projection }) => projection).join('\n');

/**
 * What the evaluator reads: hypotheses, evidence and offered counterchecks in the order of the pass. Nothing of an
 * author's ratings, reasons or findings is in the request, and so nothing of them can be here (E7).
 */
export const evaluatorDocument = (
  request: EvaluatorRequested,
  evidence: ReadonlyMap<string, EvaluatorEvidence>,
  boundary: string,
) => ({
  kind: 'early_review',
  boundary,
  question: neutralised(request.question),
  asOf: request.asOf,
  hypotheses: request.hypotheses.map(({ id, statement, confirmedBy, refutedBy }) => ({
    id,
    statement: neutralised(statement),
    confirmedBy: neutralised(confirmedBy),
    refutedBy: neutralised(refutedBy),
  })),
  counterchecks: request.counterchecks,
  evidence: request.evidence.flatMap(({ toolCallId, tool }) => {
    const found = evidence.get(toolCallId);
    if (found === undefined) return [];
    const { evidenceStatus, scope, window, truncated } = found.entry;
    const projection = `${boundary}\n${found.projection}\n${boundary}`;
    return [{ toolCallId, tool, evidenceStatus, scope, window, truncated, projection }];
  }),
});

/** The whole of what one pass sends: its protocol and its document. A pure function, so that a stored pass can be replayed. */
export const evaluatorMessages = (
  request: EvaluatorRequested,
  evidence: ReadonlyMap<string, EvaluatorEvidence>,
  boundary: string,
): ChatMessage[] => [
  { role: 'system', content: EVALUATOR_PROMPTS[request.promptVersion].text },
  { role: 'user', content: JSON.stringify(evaluatorDocument(request, evidence, boundary)) },
];

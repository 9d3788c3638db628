import { parseJson, type Conversation, type ToolAnswer } from '../conversation/conversation';
import { unwrapped } from '../judge/exhibit';
import type { EarlyReview, EvidencePiece } from './early-review';

/** What a call was restricted to, read back from its scope: a review is not told the arguments. */
const argumentsOf = ({ tool, scope }: EvidencePiece): Record<string, unknown> => {
  const { service, namespace, filter } = scope ?? {};
  const filters = typeof filter === 'string' ? filter.split(', ') : [];
  const pairs = filters.flatMap((part): [string, unknown][] => {
    const at = part.indexOf('=');
    return at > 0 ? [[part.slice(0, at), part.slice(at + 1)]] : [];
  });
  const read = Object.fromEntries(pairs);
  const { state, ...rest } = read;
  const isAlerts = tool === 'active_alerts';
  return {
    ...(isAlerts ? rest : read),
    ...(isAlerts && state === undefined ? { include_resolved: true } : {}),
    ...(service === undefined ? {} : { service }),
    ...(namespace === undefined ? {} : { namespace }),
  };
};

const answerOf = (piece: EvidencePiece, boundary: string): ToolAnswer => {
  const { toolCallId, tool, evidenceStatus, truncated, window } = piece;
  const text = unwrapped(piece.projection, boundary);
  return {
    toolCallId,
    tool,
    args: argumentsOf(piece),
    text,
    document: parseJson(text) ?? null,
    meta: {
      toolCallId,
      tool,
      status: 'READY',
      evidenceStatus,
      truncated,
      ...(window ? { window } : {}),
      ...(evidenceStatus === 'ERROR' ? { errorClass: 'SOURCE_FAILED' } : {}),
    },
  };
};

/** The evidence of a review in the order in which it is shown. */
export const conversationOfReview = ({ question, evidence, boundary }: EarlyReview): Conversation => ({
  question: { kind: 'question', intent: 'DIAGNOSIS', question },
  answers: evidence.map((piece) => answerOf(piece, boundary)),
  assistantTurns: evidence.length,
  rejectedTurns: 0,
  concluding: true,
  repair: null,
});

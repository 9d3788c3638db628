import type { Conversation } from '../conversation/conversation';
import { json, type Reply } from '../conversation/reply';
import { diagnose, rankedHypotheses } from '../diagnosis/diagnose';
import { writeDraft } from '../diagnosis/write-draft';
import { readView } from '../evidence/read-view';
import { plannedCalls } from './plan';

const TURNS_MAX = 6;
const CALLS_PER_RESPONSE = 16;

/** More calls, or the draft when nothing more is wanted or may be asked. */
export const nextStep = (conversation: Conversation, offered: readonly string[]): Reply => {
  const view = readView(conversation);
  const turns = conversation.assistantTurns + conversation.rejectedTurns;
  const hypotheses = rankedHypotheses(view);
  const { limits } = conversation.question;
  const allowed = Math.min(
    limits?.callsPerResponseMax ?? CALLS_PER_RESPONSE,
    limits?.toolCallsLeft ?? CALLS_PER_RESPONSE,
  );
  if (!conversation.concluding && turns < TURNS_MAX && allowed > 0) {
    const calls = plannedCalls(view, hypotheses, offered).slice(0, allowed);
    if (calls.length > 0) return { kind: 'CALLS', calls };
  }
  return json(writeDraft(view, diagnose(view, hypotheses)));
};

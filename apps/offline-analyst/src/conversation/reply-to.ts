import { caseRequestOf } from '../case/case-request';
import { replyToCase } from '../case/reply-to-case';
import { evaluate } from '../evaluator/evaluate';
import type { ChatRequest } from '../http/chat-request';
import { judge } from '../judge/judge';
import { answerFromDocuments } from '../knowledge/answer-from-documents';
import { lookupFor } from '../knowledge/lookup-for';
import { nextStep } from '../investigation/next-step';
import { repairDraft } from '../repair/repair-draft';
import { routeQuestion } from '../router/route-question';
import { conversationOf, userDocuments, type Conversation } from './conversation';
import { json, type Reply } from './reply';

export const MODELS: readonly string[] = ['rules-router', 'rules-diagnosis', 'rules-judge'];

const STRANGER =
  'This endpoint answers the requests of Inquest by fixed rules. It is not a language model and does not converse.';

const continueInvestigation = (request: ChatRequest, conversation: Conversation): Reply => {
  if (conversation.repair) return repairDraft(conversation.repair);
  if (conversation.question.intent !== 'KNOWLEDGE_QUERY') {
    const offered = (request.tools ?? []).map((tool) => tool.function.name);
    return nextStep(conversation, offered);
  }
  return conversation.concluding || conversation.answers.length > 0
    ? json(answerFromDocuments(conversation))
    : lookupFor(conversation.question.question);
};

/** What a request asks for is told by the `kind` of its JSON documents, whichever of the models it names. */
export const replyTo = (request: ChatRequest): Reply => {
  const documents = userDocuments(request.messages);
  const first = documents[0];
  switch (first?.kind) {
    case 'route':
      return json({ intent: routeQuestion(first.value) });
    case 'judge':
      return judge(first.value);
    case 'early_review':
      return evaluate(first.value);
    case 'case': {
      const asked = caseRequestOf(request);
      return asked ? replyToCase(asked) : { kind: 'TEXT', text: STRANGER };
    }
    case 'question': {
      const conversation = conversationOf(request);
      return conversation ? continueInvestigation(request, conversation) : { kind: 'TEXT', text: STRANGER };
    }
    default:
      return { kind: 'TEXT', text: STRANGER };
  }
};

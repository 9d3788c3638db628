import { z } from 'zod';
import { Confidence, Finding } from '@inquest/contracts/case-parts';
import { NextKind } from '@inquest/contracts/case-facts';
import {
  answersOf,
  RepairOrder,
  userDocuments,
  type Conversation,
  type ToolAnswer,
} from '../conversation/conversation';
import type { ChatRequest } from '../http/chat-request';

const CaseDocument = z.looseObject({
  kind: z.literal('case'),
  question: z.string(),
  window: z.looseObject({ from: z.string(), to: z.string() }).nullish(),
  zone: z.string().nullish(),
  asOf: z.string().nullish(),
  hypotheses: z
    .array(z.looseObject({ id: z.string(), statement: z.string(), confidence: Confidence }))
    .default([]),
  findings: z.array(Finding.loose()).default([]),
  declined: z.array(z.looseObject({ hypothesisId: z.string() })).default([]),
  actions: z
    .array(
      z.looseObject({
        toolCallId: z.string(),
        tool: z.string(),
        expectedIfTrue: z.string(),
        state: z.string(),
      }),
    )
    .default([]),
});
export type CaseDocument = z.infer<typeof CaseDocument>;

const TurnOrder = z.looseObject({
  kind: z.literal('investigate'),
  mode: z.enum(['FORM', 'INVESTIGATE', 'PREPARE']),
  /** Names the findings of this turn: `f<turn>-<index>`. */
  turn: z.number().optional(),
  hypothesisId: z.string().nullable(),
  permitted: z.array(NextKind),
  hypothesesMax: z.number(),
  actionsLeft: z.number(),
  actionsPerTurnMax: z.number(),
  previousInvalid: z.string().nullish(),
  leading: z.string().nullish(),
});
export type TurnOrder = z.infer<typeof TurnOrder>;

/** What is asked of the investigator in one call. */
export type CaseOrder =
  { kind: 'TURN'; turn: TurnOrder } | { kind: 'DIAGNOSE' } | { kind: 'REPAIR'; repair: RepairOrder };

export type CaseRequest = {
  document: CaseDocument;
  answers: ToolAnswer[];
  /** Names of the tools that are described. */
  offered: string[];
  order: CaseOrder;
};

const orderOf = (last: { kind: string; value: unknown } | undefined): CaseOrder | undefined => {
  switch (last?.kind) {
    case 'investigate': {
      const turn = TurnOrder.safeParse(last.value);
      return turn.success ? { kind: 'TURN', turn: turn.data } : undefined;
    }
    case 'conclude':
      return { kind: 'DIAGNOSE' };
    case 'repair': {
      const repair = RepairOrder.safeParse(last.value);
      return repair.success ? { kind: 'REPAIR', repair: repair.data } : undefined;
    }
    default:
      return undefined;
  }
};

/** The case that a request carries, or undefined when it carries none that these rules can read. */
export const caseRequestOf = (request: ChatRequest): CaseRequest | undefined => {
  const documents = userDocuments(request.messages);
  const document = CaseDocument.safeParse(documents[0]?.value);
  const order = orderOf(documents.at(-1));
  if (!document.success || order === undefined) return undefined;
  return {
    document: document.data,
    answers: answersOf(request.messages),
    offered: (request.tools ?? []).map((tool) => tool.function.name),
    order,
  };
};

/** The same evidence in the form in which the rules of a run read it. */
export const conversationOfCase = ({ document, answers }: CaseRequest): Conversation => ({
  question: {
    kind: 'question',
    intent: 'DIAGNOSIS',
    question: document.question,
    window: document.window,
    zone: document.zone,
    asOf: document.asOf,
  },
  answers,
  assistantTurns: answers.length,
  rejectedTurns: 0,
  concluding: true,
  repair: null,
});

import { hashOf } from '@inquest/contracts/canonical-json';
import {
  caseRequested,
  evaluatorResult,
  investigatorResult,
  type CaseRequested,
} from '@inquest/contracts/case-facts';
import { isCaseStep } from '@inquest/contracts/case-steps';
import type { FactContract } from '@inquest/contracts/define-fact';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { Step, WorkService } from '@inquest/contracts/ids';
import { cancelRequested, type CancelRequested } from '@inquest/contracts/inbound-facts';
import { semanticResult } from '@inquest/contracts/semantic-facts';
import { parseSubject, partitionOf, type ParsedSubject } from '@inquest/contracts/subjects';
import { ragResult, toolResult } from '@inquest/contracts/tool-facts';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { Poison } from '@inquest/event-log/work';
import type { CaseCommand, CaseServiceResult, Protocol } from '../case/case.commands';
import type { Trigger } from './trigger';

export type CaseTrigger = Trigger<CaseCommand, CaseRequested>;

const RESULTS: Partial<Record<WorkService, FactContract>> = {
  investigator: investigatorResult,
  evaluator: evaluatorResult,
  tool: toolResult,
  rag: ragResult,
  evidence: evidenceResult,
  semantic: semanticResult,
};

/** A result that breaks its contract is no result: the case ends as POISONED instead of waiting for a deadline. */
export const caseResultCommand = (
  service: WorkService,
  step: Step,
  data: unknown,
  { prompts }: Protocol,
): ((nowMs: number) => CaseCommand) => {
  const parsed = RESULTS[service]?.schema.safeParse(data);
  if (parsed === undefined || !parsed.success) return (nowMs) => ({ type: 'SetAsidePoison', nowMs, prompts });
  const command = { type: 'TakeResult', step, hash: hashOf(data), service, result: parsed.data } as const;
  return (nowMs) =>
    ({ ...command, nowMs, prompts }) as {
      nowMs: number;
      type: 'TakeResult';
      step: Step;
      hash: string;
    } & Protocol &
      CaseServiceResult;
};

/** Whether a message is a case's; `in.cancel` may be of either, and is asked about in the log. */
export const isOfCase = (at: ParsedSubject): boolean | 'UNKNOWN' => {
  switch (at.family) {
    case 'in':
      return at.kind === 'cancel' ? 'UNKNOWN' : at.kind === 'open';
    case 'run':
      return false;
    case 'case':
      return true;
    default:
      return isCaseStep(at.step);
  }
};

/** Reads a message of the log as a trigger of a case; a foreign or misplaced one is poison. */
export const caseTriggerOf = (
  message: StoredMessage,
  partitions: number,
  protocol: Protocol,
): CaseTrigger => {
  const at = parseSubject(message.subject);
  if (at === undefined || at.partition !== partitionOf(at.runId, partitions))
    throw new Poison('the subject is not one of this log');
  const { runId } = at;
  const { seq } = message;
  const { prompts } = protocol;
  if (at.family === 'res') {
    const { service, step } = at;
    const commandAt = caseResultCommand(service, step, message.data, protocol);
    return { runId, fact: `res.${service}.${step}`, seq, kind: 'result', service, step, commandAt };
  }
  try {
    if (at.family === 'in' && at.kind === 'open') {
      const request = caseRequested.schema.parse(message.data) as CaseRequested;
      return { runId, fact: 'in.open', seq, kind: 'request', request };
    }
    if (at.family === 'in' && at.kind === 'cancel') {
      const { cause } = cancelRequested.schema.parse(message.data) as CancelRequested;
      const commandAt = (nowMs: number): CaseCommand => ({ type: 'TakeCancel', cause, nowMs, prompts });
      return { runId, fact: 'in.cancel', seq, kind: 'command', commandAt };
    }
  } catch (error) {
    throw new Poison('an inbound fact breaks its contract', error);
  }
  throw new Poison(`a ${at.family} message is no trigger of a case`);
};

import { partitionOf, parseSubject } from '@inquest/contracts/subjects';
import type { RunId, Step, WorkService } from '@inquest/contracts/ids';
import { hashOf } from '@inquest/contracts/canonical-json';
import type { FactContract } from '@inquest/contracts/define-fact';
import { agentResult, routerResult } from '@inquest/contracts/agent-facts';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import {
  cancelRequested,
  runRequested,
  streamAttached,
  streamDisconnected,
  type RunRequested,
} from '@inquest/contracts/inbound-facts';
import { semanticResult } from '@inquest/contracts/semantic-facts';
import { ragResult, toolResult } from '@inquest/contracts/tool-facts';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { Poison } from '@inquest/event-log/work';
import type { RunCommand, ServiceResult } from '../run/run.commands';

/** A message that means "look at run X", or at case X, and what it says. */
export type Trigger<Command, Request> = { runId: RunId; fact: string; seq: number } & (
  | { kind: 'request'; request: Request }
  | { kind: 'command'; commandAt: (nowMs: number) => Command }
  | { kind: 'result'; service: WorkService; step: Step; commandAt: (nowMs: number) => Command }
);
export type RunTrigger = Trigger<RunCommand, RunRequested>;

const RESULTS: Partial<Record<WorkService, FactContract>> = {
  router: routerResult,
  agent: agentResult,
  tool: toolResult,
  rag: ragResult,
  evidence: evidenceResult,
  semantic: semanticResult,
};

/**
 * A result that breaks its contract is no result: the run ends as POISONED instead of waiting for a deadline. The fact
 * itself stays in the log for an operator.
 */
export const resultCommand = (
  service: WorkService,
  step: Step,
  data: unknown,
): ((nowMs: number) => RunCommand) => {
  const parsed = RESULTS[service]?.schema.safeParse(data);
  if (parsed === undefined || !parsed.success) return (nowMs) => ({ type: 'SetAsidePoison', nowMs });
  const command = { type: 'TakeResult', step, hash: hashOf(data), service, result: parsed.data } as const;
  return (nowMs) =>
    ({ ...command, nowMs }) as {
      nowMs: number;
      type: 'TakeResult';
      step: Step;
      hash: string;
    } & ServiceResult;
};

const inCommand = (kind: string, data: unknown): ((nowMs: number) => RunCommand) => {
  if (kind === 'cancel') {
    const { cause } = cancelRequested.schema.parse(data) as { cause: 'PERSON' | 'OPERATOR' };
    return (nowMs) => ({ type: 'TakeCancel', cause, nowMs });
  }
  if (kind.startsWith('attach-')) {
    const { n } = streamAttached.schema.parse(data) as { n: number };
    return (nowMs) => ({ type: 'TakeAttach', n, nowMs });
  }
  if (kind.startsWith('disconnect-')) {
    const { n, at, graceMs } = streamDisconnected.schema.parse(data) as {
      n: number;
      at: string;
      graceMs: number;
    };
    return (nowMs) => ({ type: 'TakeDisconnect', n, atMs: Date.parse(at), graceMs, nowMs });
  }
  throw new Poison(`no such inbound fact: ${kind}`);
};

/** Reads a message of the log as a trigger; a foreign or misplaced one is poison. */
export const triggerOf = (message: StoredMessage, partitions: number): RunTrigger => {
  const at = parseSubject(message.subject);
  if (at === undefined || at.partition !== partitionOf(at.runId, partitions)) {
    throw new Poison('the subject is not one of this log');
  }
  const { runId } = at;
  const { seq } = message;
  try {
    if (at.family === 'in') {
      const fact = `in.${at.kind}`;
      if (at.kind === 'request') {
        return {
          runId,
          fact,
          seq,
          kind: 'request',
          request: runRequested.schema.parse(message.data) as RunRequested,
        };
      }
      return { runId, fact, seq, kind: 'command', commandAt: inCommand(at.kind, message.data) };
    }
    if (at.family === 'res') {
      const { service, step } = at;
      const fact = `res.${service}.${step}`;
      return {
        runId,
        fact,
        seq,
        kind: 'result',
        service,
        step,
        commandAt: resultCommand(service, step, message.data),
      };
    }
  } catch (error) {
    throw error instanceof Poison ? error : new Poison('an inbound fact breaks its contract', error);
  }
  throw new Poison(`a ${at.family} message is no trigger`);
};

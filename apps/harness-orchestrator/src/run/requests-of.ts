import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import { agentRequested, routerRequested, type AgentRequested } from '@inquest/contracts/agent-facts';
import { evidenceRequested, type EvidenceRequested } from '@inquest/contracts/evidence-facts';
import { semanticRequested } from '@inquest/contracts/semantic-facts';
import { ragRequested, toolRequested } from '@inquest/contracts/tool-facts';
import { draftOf, type Invocation, type OpenStep, type Run } from './run.state';
import { instant, toolCallsLeft } from './steps';

/** A request as it stands in the log: its contract and its data. */
export type WorkRequest = { contract: FactContract; data: unknown };

const of = <Contract extends FactContract>(contract: Contract, data: DataOf<Contract>): WorkRequest => ({
  contract,
  data,
});

const previousRunOf = ({ previousTurn }: Run['started']): AgentRequested['previousRun'] =>
  previousTurn.kind === 'RUN'
    ? { runId: previousTurn.runId, question: previousTurn.question, conclusion: previousTurn.conclusion }
    : null;

const repairOf = (run: Run): AgentRequested['repair'] => {
  const draft = draftOf(run, 1);
  if (draft === undefined) return null;
  const validToolCallIds = run.invocations.filter((i) => i.status === 'READY').map((i) => i.toolCallId);
  return { draftStep: draft.step, violations: [...run.violations], validToolCallIds };
};

const agentWork = (run: Run, { mode, attempt, deadlineAtMs }: OpenStep): WorkRequest => {
  const { started } = run;
  return of(agentRequested, {
    intent: run.intent ?? 'DIAGNOSIS',
    mode: mode ?? 'INVESTIGATE',
    turn: run.turn,
    attempt,
    question: started.question,
    source: started.source,
    window: started.window,
    zone: started.zone,
    asOf: started.asOf,
    locale: started.locale,
    idMode: started.idMode,
    history: run.history.filter((t) => t.calls.length + t.rejected.length > 0),
    previousRun: previousRunOf(started),
    repair: mode === 'REPAIR' ? repairOf(run) : null,
    toolCallsLeft: toolCallsLeft(run),
    callsPerResponseMax: started.limits.callsPerResponseMax,
    draftBytesMax: started.limits.draftBytesMax,
    deadlineAt: instant(deadlineAtMs),
  });
};

const toolWork = (run: Run, invocation: Invocation, open: OpenStep): WorkRequest =>
  of(invocation.service === 'rag' ? ragRequested : toolRequested, {
    toolCallId: invocation.toolCallId,
    providerId: invocation.providerId,
    tool: invocation.tool,
    argumentsText: invocation.argumentsText,
    source: run.started.source,
    asOf: run.started.asOf,
    projectionBytesMax: open.projectionBytesMax ?? run.started.limits.projectionBytesMax,
    deadlineAt: instant(open.deadlineAtMs),
  });

/** A call that its deadline closed has no result fact, so the guard sees it as never having become READY. */
const guardStatus = (i: Invocation): EvidenceRequested['ledger'][number]['status'] =>
  i.timedOut ? 'PROJECTING' : i.status;

const evidenceWork = (run: Run, { deadlineAtMs }: OpenStep): WorkRequest => {
  const { started } = run;
  const current = draftOf(run, run.drafts.length);
  if (current === undefined)
    throw new Error('evidence work was requested for a draft that the chain does not hold');
  const previous = draftOf(run, current.revision - 1);
  return of(evidenceRequested, {
    intent: run.intent ?? 'DIAGNOSIS',
    revision: current.revision,
    draftStep: current.step,
    previousDraftStep: previous?.step ?? null,
    repairOf: previous === undefined ? [] : [...run.violations],
    ledger: run.invocations.map((i) => ({
      toolCallId: i.toolCallId,
      tool: i.tool,
      service: i.service,
      step: i.step,
      status: guardStatus(i),
    })),
    question: started.question,
    zone: started.zone,
    asOf: started.asOf,
    ruleSet: started.ruleSet,
    draftBytesMax: started.limits.draftBytesMax,
    deadlineAt: instant(deadlineAtMs),
  });
};

/**
 * The message for one requested step: a pure function of the chain, so that whoever finds it missing after a crash
 * writes the same one.
 */
export const requestOf = (run: Run, open: OpenStep): WorkRequest => {
  const deadlineAt = instant(open.deadlineAtMs);
  switch (open.kind) {
    case 'router':
      return of(routerRequested, { question: run.started.question, attempt: open.attempt, deadlineAt });
    case 'model':
    case 'repair':
      return agentWork(run, open);
    case 'tool': {
      const invocation = run.invocations.find((i) => i.toolCallId === open.toolCallId);
      if (invocation === undefined)
        throw new Error('tool work was requested for an action that the chain does not hold');
      return toolWork(run, invocation, open);
    }
    case 'evidence':
      return evidenceWork(run, open);
    case 'semantic':
      if (run.accepted === null) throw new Error('a review was requested without an accepted draft');
      return of(semanticRequested, {
        attempt: open.attempt,
        evidenceStep: run.accepted.step,
        snapshotHash: run.accepted.snapshotHash,
        deadlineAt,
      });
  }
};

import { hashOf } from '@inquest/contracts/canonical-json';
import { caseDecision, type CaseDecision } from '@inquest/contracts/case-decision';
import { caseRequested, type CaseRequested } from '@inquest/contracts/case-facts';
import { runDecision, type RunDecision } from '@inquest/contracts/run-decision';
import type { RunView } from '@inquest/contracts/run-view';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import { parseSubject } from '@inquest/contracts/subjects';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { foldEntry, receivedRun, type ChainEntry, type FoldedRun } from '@inquest/run-view/fold-run';

/** A run as far as the projection has seen it; `before` is how it stood before its last entry. */
export type ProjectedRun = { request: RunRequested; fold: FoldedRun; before: FoldedRun; lastSeq: number };

export const receivedProjection = (request: RunRequested, seq: number): ProjectedRun => {
  const fold = receivedRun(request);
  return { request, fold, before: fold, lastSeq: seq };
};

/** One more entry; what comes after the terminal one (late results) changes no row. */
export const withEntry = (run: ProjectedRun, entry: ChainEntry): ProjectedRun =>
  run.fold.terminalSeq === null
    ? { ...run, before: run.fold, fold: foldEntry(run.fold, entry), lastSeq: entry.seq }
    : { ...run, lastSeq: entry.seq };

/** What the log's message means to the read model. Results of services are kept as metadata; their content stays in the log. */
export type Projected =
  | { kind: 'request'; runId: string; request: RunRequested }
  | { kind: 'decision'; runId: string; decision: RunDecision }
  | { kind: 'case-request'; runId: string; request: CaseRequested }
  | { kind: 'case-decision'; runId: string; decision: CaseDecision }
  | { kind: 'other'; runId: string };

/** Undefined for a message that is none of ours or breaks its contract: it gets no row. */
export const read = (message: StoredMessage): Projected | undefined => {
  const at = parseSubject(message.subject);
  if (at === undefined) return undefined;
  const { runId } = at;
  if (at.family === 'in' && at.kind === 'request') {
    const request = runRequested.schema.safeParse(message.data);
    return request.success ? { kind: 'request', runId, request: request.data as RunRequested } : undefined;
  }
  if (at.family === 'in' && at.kind === 'open') {
    const request = caseRequested.schema.safeParse(message.data);
    return request.success ? { kind: 'case-request', runId, request: request.data } : undefined;
  }
  if (at.family === 'case') {
    const decision = caseDecision.schema.safeParse(message.data);
    return decision.success ? { kind: 'case-decision', runId, decision: decision.data } : undefined;
  }
  if (at.family === 'run') {
    const decision = runDecision.schema.safeParse(message.data);
    return decision.success ? { kind: 'decision', runId, decision: decision.data as RunDecision } : undefined;
  }
  return { kind: 'other', runId };
};

/** Content that is kept beside the metadata: what people asked and what the harness decided, and nothing of the services'. */
export const keptData = (message: StoredMessage): unknown =>
  /\.in\.[a-z0-9-]+$|\.run$|\.case$/.test(message.subject) ? message.data : null;

export const eventRow = (stream: string, incarnation: string, runId: string, message: StoredMessage) => ({
  stream,
  incarnation,
  seq: message.seq,
  runId,
  subject: message.subject,
  type: message.envelope.type,
  storedAt: new Date(message.storedAtMs),
  causationId: message.envelope.causationId ?? null,
  data: keptData(message),
  dataHash: hashOf(message.data),
});
export type EventRow = ReturnType<typeof eventRow>;

/** What a release adds from other facts of the log. */
export type ReleasedContent = {
  part: Pick<RunView, 'report' | 'answer'>;
  author: string | null;
  reportText: string;
  snapshotText: string;
};

import { hashOf } from '@inquest/contracts/canonical-json';
import { isTerminal, runDecision, type RunDecision } from '@inquest/contracts/run-decision';
import type { RunView } from '@inquest/contracts/run-view';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import { parseSubject } from '@inquest/contracts/subjects';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { foldRun, type ChainEntry, type FoldedRun } from '@inquest/run-view/fold-run';

/** A run as far as the projection has seen it. */
export type ProjectedRun = { request: RunRequested; chain: ChainEntry[]; lastSeq: number };

/** What the log's message means to the read model. Results of services are kept as metadata; their content stays in the log. */
export type Projected =
  | { kind: 'request'; runId: string; request: RunRequested }
  | { kind: 'decision'; runId: string; decision: RunDecision }
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
  if (at.family === 'run') {
    const decision = runDecision.schema.safeParse(message.data);
    return decision.success ? { kind: 'decision', runId, decision: decision.data as RunDecision } : undefined;
  }
  return { kind: 'other', runId };
};

/** Content that is kept beside the metadata: what people asked and what the harness decided, and nothing of the services'. */
export const keptData = (message: StoredMessage): unknown =>
  /\.in\.[a-z0-9-]+$|\.run$/.test(message.subject) ? message.data : null;

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

/** Up to and with the first terminal entry: what comes after it (late results) changes no row. */
export const untilEnd = (chain: readonly ChainEntry[]): ChainEntry[] => {
  const end = chain.findIndex(({ decision }) => decision.events.some(isTerminal));
  return end < 0 ? [...chain] : chain.slice(0, end + 1);
};

export const folded = (run: ProjectedRun): FoldedRun => foldRun(run.request, untilEnd(run.chain));

/** The run as it stood before its terminal entry. */
export const foldedBeforeEnd = ({ request, chain }: ProjectedRun): FoldedRun => {
  const whole = untilEnd(chain);
  return foldRun(request, whole.slice(0, -1));
};

/** What a release adds from other facts of the log. */
export type ReleasedContent = {
  part: Pick<RunView, 'report' | 'answer'>;
  author: string | null;
  reportText: string;
  snapshotText: string;
};

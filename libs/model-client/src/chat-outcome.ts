import type { AttemptFailure, AttemptRecord, FailedAttempt, TokenUsage } from '@inquest/contracts/model-call';
import type { ProposedCall } from '@inquest/contracts/agent-facts';

/** What one attempt yielded. Endpoint behaviour never throws: everything that can go wrong there is a FAILED. */
export type ChatOutcome =
  | { kind: 'TOOL_CALLS'; calls: ProposedCall[]; providerState: string | null; record: AttemptRecord }
  | { kind: 'TEXT'; text: string; record: AttemptRecord }
  | FailedAttempt;

/** A call as it stands in the response, before its id is judged. */
export type RawCall = {
  id: unknown;
  name: unknown;
  arguments: unknown;
  /** Members beyond the documented ones, which the provider may want to see again. */
  state: Record<string, unknown>;
};

/** What a response body says, whichever way it travelled. */
export type Reading =
  | {
      kind: 'TOOL_CALLS';
      calls: RawCall[];
      state: Record<string, unknown>;
      usage: TokenUsage | null;
      finishReason: string | null;
    }
  | { kind: 'TEXT'; text: string; usage: TokenUsage | null; finishReason: string | null }
  | { kind: 'FAILED'; failure: AttemptFailure; usage: TokenUsage | null; finishReason: string | null };

import type { AssistantCall } from './chat-request';
import type { Reading } from './chat-outcome';
import { CALLS_MAX } from './proposed-calls';
import { isRecord } from '@inquest/contracts/json-object';

const STATE_CHARS_MAX = 65_536;

/**
 * What the provider wants to see again with the next request (reasoning, signatures), as text of ours. Kept with the
 * turn, never published. Null where there is none, or more than is kept.
 */
export const providerStateOf = (reading: Extract<Reading, { kind: 'TOOL_CALLS' }>): string | null => {
  const calls = reading.calls.slice(0, CALLS_MAX).map(({ state }) => state);
  const message = reading.state;
  if (Object.keys(message).length === 0 && calls.every((state) => Object.keys(state).length === 0))
    return null;
  const text = JSON.stringify({ message, calls });
  return text.length <= STATE_CHARS_MAX ? text : null;
};

/** Puts the kept state back where it was: `index` is the call's place in the response that it came from. */
export const echoState = (
  providerState: string | null,
  calls: readonly { index: number; call: AssistantCall }[],
): { message: Record<string, unknown>; calls: AssistantCall[] } => {
  const kept =
    providerState === null ? {} : (JSON.parse(providerState) as { message?: unknown; calls?: unknown });
  const states: unknown[] = Array.isArray(kept.calls) ? kept.calls : [];
  return {
    message: isRecord(kept.message) ? kept.message : {},
    calls: calls.map(({ index, call }) => ({ ...(isRecord(states[index]) ? states[index] : {}), ...call })),
  };
};

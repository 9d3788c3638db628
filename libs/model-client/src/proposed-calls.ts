import { TOOL_CALL_ID_PATTERN, type ToolCallId } from '@inquest/contracts/ids';
import { ARGUMENTS_CHARS_MAX, type ProposedCall } from '@inquest/contracts/agent-facts';
import type { RawCall } from './chat-outcome';
import { cleanJsonText, cleanText } from './clean-text';

/**
 * `strict`: the provider's id is the id. `mint`: every id is `tc-<turn>-<index>`, a pure function of the step; the
 * provider's is kept beside it. In both a missing or malformed id makes the action unusable (H2).
 */
export type IdMode = { kind: 'strict' } | { kind: 'mint'; turn: number };

/** More calls than any run may make in one response; what lies beyond cannot be accepted anyway. */
export const CALLS_MAX = 64;
const PROVIDER_ID_CHARS_MAX = 256;
/** As the wire format defines a function's name, with the dot that some models put into it. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/**
 * The arguments' text as received. An object in place of the text is written as text; nothing at all means no
 * arguments. A text over the bound is cut so that it can no longer be parsed, whatever stood in it.
 */
export const argumentsTextOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
  const clean = cleanJsonText(text);
  if (clean.trim() === '') return '{}';
  return clean.length <= ARGUMENTS_CHARS_MAX
    ? clean
    : `${clean.slice(0, ARGUMENTS_CHARS_MAX - 1).toWellFormed()}…`;
};

/**
 * The name of a call is the model's own word and is shown to people before any guard has seen it: what is no name could
 * be a sentence, or an address, and is dropped. There is no tool of such a name in any case.
 */
const nameOf = (value: unknown): string => {
  if (typeof value !== 'string' || value === '') return '(unnamed)';
  return NAME.test(value) ? value : '(malformed)';
};

export const proposedCalls = (raw: readonly RawCall[], mode: IdMode): ProposedCall[] => {
  const seen = new Set<string>();
  return raw.slice(0, CALLS_MAX).map((call, index) => {
    const usable = typeof call.id === 'string' && TOOL_CALL_ID_PATTERN.test(call.id);
    const repeated = typeof call.id === 'string' && seen.has(call.id);
    if (typeof call.id === 'string') seen.add(call.id);
    return {
      index,
      providerId:
        typeof call.id === 'string'
          ? cleanText(call.id).slice(0, PROVIDER_ID_CHARS_MAX).toWellFormed()
          : null,
      toolCallId: idOf({ usable, repeated, id: call.id, index, mode }),
      name: nameOf(call.name),
      argumentsText: argumentsTextOf(call.arguments),
    };
  });
};

const idOf = (call: {
  usable: boolean;
  repeated: boolean;
  id: unknown;
  index: number;
  mode: IdMode;
}): ToolCallId | null => {
  if (!call.usable) return null;
  // A strict repetition keeps its id, so that the harness can name the reason; a minted id would hide it.
  if (call.mode.kind === 'strict') return call.id as ToolCallId;
  return call.repeated ? null : (`tc-${call.mode.turn}-${call.index}` as ToolCallId);
};

import type { CallSpec, ScriptedReply, ScriptedRequest } from '@inquest/testing/scripted-model';
import { call } from '../asking';

/** A call as the adapter hands it on: the id that the run would know it by, its tool, its arguments' text. */
export type Proposed = readonly [toolCallId: string | null, name: string, argumentsText: string];

/** What the endpoint does with one request, decided by what it was sent where that matters. */
export type Reply = ScriptedReply | ((request: ScriptedRequest) => ScriptedReply);

/** One way in which a case shows itself. */
export type Variant = {
  /** Beyond the case's title. */
  what?: string;
  /** How the answer travels. `either`: the same answer is sent as one document and as a stream, and means the same. */
  over: 'either' | 'plain' | 'stream';
  /** One reply for each turn of the agent. */
  turns: readonly Reply[];
  /** Outcome of the last turn: the kind of answer, or the failure. */
  outcome: string;
  /** Calls of the last turn; the same in both modes but for the ids. */
  strict?: readonly Proposed[];
  mint?: readonly Proposed[];
  /** The answer's document, where there is one: a draft is judged by it. */
  answer?: string;
  /** Ids of all calls of all turns that ran. Every other call of the endpoint's did not. */
  executed: { strict: readonly string[]; mint: readonly string[] };
  /** How the harness ends the run at once, if it does. */
  sealed?: { strict: string | null; mint: string | null };
  retryAfterMs?: number;
  timeoutMs?: number;
};

export type AdapterCase = {
  /** Number in the catalogue of misbehaviour (design: model-adapter). */
  n: number;
  /** What the endpoint does, in words. */
  title: string;
  variants: readonly Variant[];
};

export const NOTHING = { strict: [], mint: [] } as const;

/** The arguments of {@link call}: they find nothing, and that is a result. */
export const ARGUMENTS = '{"service":"x"}';

export const plain = (body: unknown, status = 200, headers?: Record<string, string>): ScriptedReply => ({
  kind: 'RAW',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
});

/** A body of one choice. */
export const choice = (message: unknown, finishReason: string | null = 'stop'): ScriptedReply =>
  plain({ choices: [{ index: 0, message, finish_reason: finishReason }] });

export const proposing = (...list: CallSpec[]): ScriptedReply => ({ kind: 'CALLS', calls: list });

export const second = (over: CallSpec = {}): CallSpec =>
  call({ id: 'call_b', name: 'list_objects', arguments: '{"kind":"Pod"}', ...over });

/** Both calls as they should be assembled, whatever way they came. */
export const BOTH = {
  outcome: 'TOOL_CALLS',
  strict: [
    ['call_a', 'search_logs', ARGUMENTS],
    ['call_b', 'list_objects', '{"kind":"Pod"}'],
  ],
  mint: [
    ['tc-1-0', 'search_logs', ARGUMENTS],
    ['tc-1-1', 'list_objects', '{"kind":"Pod"}'],
  ],
  executed: { strict: ['call_a', 'call_b'], mint: ['tc-1-0', 'tc-1-1'] },
} satisfies Partial<Variant>;

/** One call that is as it should be. */
export const ONE = {
  outcome: 'TOOL_CALLS',
  strict: [['call_a', 'search_logs', ARGUMENTS]],
  mint: [['tc-1-0', 'search_logs', ARGUMENTS]],
  executed: { strict: ['call_a'], mint: ['tc-1-0'] },
} satisfies Partial<Variant>;

export const failing = (outcome: string): Pick<Variant, 'outcome' | 'executed'> => ({
  outcome,
  executed: NOTHING,
});

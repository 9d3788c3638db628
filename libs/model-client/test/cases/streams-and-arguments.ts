import type { ScriptedReply } from '@inquest/testing/scripted-model';
import { call, delta, events, finish } from '../asking';
import {
  ARGUMENTS,
  BOTH,
  failing,
  NOTHING,
  ONE,
  proposing,
  type AdapterCase,
  type Variant,
} from './adapter-case';

const opening = (index: number | null, id: string, name: string, args = '') => ({
  index,
  id,
  function: { name, arguments: args },
});
const piece = (index: number | null, args: string) => ({ index, function: { arguments: args } });
const PODS = '{"kind":"Pod"}';

/** A stream of both calls, in the order and under the indexes that the case is about. */
const streaming = (...chunks: unknown[]): Variant => ({
  over: 'stream',
  turns: [events(...chunks, finish('tool_calls'), '[DONE]')],
  ...BOTH,
});

const CALL_WHOLE = delta([opening(0, 'call_a', 'search_logs', ARGUMENTS)]);
const CALL_HALF = delta([opening(0, 'call_a', 'search_logs', '{"serv')]);
const cut = (...chunks: unknown[]): ScriptedReply => ({ kind: 'EVENTS', events: chunks, end: false });
const ending = (...chunks: unknown[]): ScriptedReply => ({ kind: 'EVENTS', events: chunks });

const finished = (finishReason: string | null): ScriptedReply => ({
  kind: 'CALLS',
  calls: [call()],
  finishReason,
});

/** A call whose arguments no tool takes: it is recorded as one that was asked for, and nothing runs. */
const unreadable = (args: string): Variant => ({
  over: 'either',
  turns: [proposing(call({ arguments: args }))],
  outcome: 'TOOL_CALLS',
  strict: [['call_a', 'search_logs', args]],
  mint: [['tc-1-0', 'search_logs', args]],
  executed: NOTHING,
});

const readAs = (args: unknown, argumentsText: string): Variant => ({
  over: 'either',
  turns: [proposing(call({ arguments: args }))],
  outcome: 'TOOL_CALLS',
  strict: [['call_a', 'search_logs', argumentsText]],
  mint: [['tc-1-0', 'search_logs', argumentsText]],
  executed: ONE.executed,
});

const STREAM_ASSEMBLY: readonly AdapterCase[] = [
  {
    n: 18,
    title: 'the index of every call is 0',
    variants: [
      streaming(
        delta([opening(0, 'call_a', 'search_logs')]),
        delta([piece(0, ARGUMENTS)]),
        delta([opening(0, 'call_b', 'list_objects')]),
        delta([piece(0, PODS)]),
      ),
    ],
  },
  {
    n: 19,
    title: 'the first chunk holds one index twice',
    variants: [
      streaming(
        delta([opening(0, 'call_a', 'search_logs', ARGUMENTS), opening(0, 'call_b', 'list_objects', PODS)]),
      ),
    ],
  },
  {
    n: 20,
    title: 'the index is null',
    variants: [
      streaming(
        delta([opening(null, 'call_a', 'search_logs')]),
        delta([piece(null, ARGUMENTS)]),
        delta([opening(null, 'call_b', 'list_objects')]),
        delta([piece(null, PODS)]),
      ),
    ],
  },
  {
    n: 21,
    title: 'arguments come under another index than their call',
    variants: [
      streaming(
        delta([opening(0, 'call_a', 'search_logs')]),
        delta([piece(4, ARGUMENTS)]),
        delta([opening(1, 'call_b', 'list_objects')]),
        delta([piece(5, PODS)]),
      ),
    ],
  },
  {
    n: 22,
    title: 'names come in every delta, or in pieces',
    variants: [
      streaming(
        delta([opening(0, 'call_a', 'search_logs', '{"service"')]),
        delta([opening(0, 'call_a', 'search_logs', ':"x"}')]),
        delta([opening(1, 'call_b', 'list_')]),
        delta([{ index: 1, function: { name: 'objects', arguments: PODS } }]),
      ),
    ],
  },
  {
    n: 23,
    title: 'the id comes in the first delta alone, and indexes begin at 1',
    variants: [
      streaming(
        delta([opening(1, 'call_a', 'search_logs')]),
        delta([piece(1, ARGUMENTS)]),
        delta([opening(2, 'call_b', 'list_objects')]),
        delta([piece(2, PODS)]),
      ),
    ],
  },
  {
    n: 24,
    title: 'the stream ends early',
    variants: [{ over: 'stream', turns: [ending(CALL_WHOLE)], ...failing('TRANSPORT') }],
  },
  {
    n: 25,
    title: 'no finish reason, and a call is incomplete',
    variants: [{ over: 'stream', turns: [events(CALL_HALF, '[DONE]')], ...failing('INVALID_RESPONSE') }],
  },
  {
    n: 26,
    title: 'no finish reason, but the calls are complete',
    variants: [
      { what: '`[DONE]` ends the matter', over: 'stream', turns: [events(CALL_WHOLE, '[DONE]')], ...ONE },
      {
        what: 'nothing does',
        over: 'plain',
        turns: [finished(null)],
        ...failing('INVALID_RESPONSE'),
      },
    ],
  },
];

const FINISH_REASONS: readonly AdapterCase[] = [
  {
    n: 27,
    title: 'the finish reason is `stop`, and there are calls',
    variants: [{ over: 'either', turns: [finished('stop')], ...ONE }],
  },
  {
    n: 28,
    title: 'an answer over its length',
    variants: [
      { what: 'said so', over: 'either', turns: [finished('length')], ...failing('LENGTH') },
      { what: 'rewritten to `tool_calls` over cut arguments', ...unreadable('{"service":"che') },
    ],
  },
  {
    n: 29,
    title: 'a stream is aborted within the arguments',
    variants: [{ over: 'stream', turns: [cut(CALL_HALF)], ...failing('TRANSPORT') }],
  },
  {
    n: 30,
    title: 'the finish reason is `content_filter`',
    variants: [{ over: 'either', turns: [finished('content_filter')], ...failing('CONTENT_FILTER') }],
  },
];

const ARGUMENTS_OF_CALLS: readonly AdapterCase[] = [
  { n: 31, title: 'the last brace of the arguments is dropped', variants: [unreadable('{"service":"x"')] },
  {
    n: 32,
    title: 'the arguments are an empty string',
    variants: [readAs('', '{}'), { what: 'or missing', ...readAs(undefined, '{}') }],
  },
  {
    n: 33,
    title: 'the arguments are an object in place of its text',
    variants: [readAs({ service: 'x' }, ARGUMENTS)],
  },
  {
    n: 34,
    title: 'the arguments are JSON, but no object',
    variants: ['[1]', '"x"', '7', 'null', 'true'].map(unreadable),
  },
  { n: 35, title: 'the arguments are malformed, not cut', variants: [unreadable("{'service': 'x'}")] },
  {
    n: 36,
    title: 'bytes trail behind the arguments',
    variants: [unreadable('{"service":"x"}}'), unreadable('{"service":"x"}<|im_end|>')],
  },
];

export const STREAMS_AND_ARGUMENTS: readonly AdapterCase[] = [
  ...STREAM_ASSEMBLY,
  ...FINISH_REASONS,
  ...ARGUMENTS_OF_CALLS,
];

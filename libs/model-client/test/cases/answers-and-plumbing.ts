import { completionEvents, type ScriptedReply, type ScriptedRequest } from '@inquest/testing/scripted-model';
import { call, delta, events, finish } from '../asking';
import {
  ARGUMENTS,
  choice,
  failing,
  NOTHING,
  ONE,
  plain,
  proposing,
  type AdapterCase,
  type Variant,
} from './adapter-case';

const saying = (text: string): ScriptedReply => ({ kind: 'TEXT', text });
const token = (content: string | null, finishReason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finishReason }],
});
const CALL_WHOLE = delta([
  { index: 0, id: 'call_a', function: { name: 'search_logs', arguments: ARGUMENTS } },
]);

/** Text that holds this document, or none: then the whole text is what the EvidenceGuard gets to refuse. */
const answering = (text: string, answer: string): Variant => ({
  over: 'either',
  turns: [saying(text)],
  outcome: 'TEXT',
  answer,
  executed: NOTHING,
});

const EMPTY_AND_ERRORS: readonly AdapterCase[] = [
  {
    n: 37,
    title: '`choices` is empty: usage, a ping, the preamble of a filter',
    variants: [
      { over: 'plain', turns: [plain({ choices: [], usage: null })], ...failing('EMPTY') },
      {
        over: 'stream',
        turns: [events({ choices: [] }, { choices: [], usage: { prompt_tokens: 1 } }, '[DONE]')],
        ...failing('EMPTY'),
      },
      {
        what: 'before an answer that is whole',
        over: 'stream',
        turns: [events({ choices: [] }, token('{}'), finish('stop'), '[DONE]')],
        outcome: 'TEXT',
        answer: '{}',
        executed: NOTHING,
      },
    ],
  },
  {
    n: 38,
    title: 'status 200 with an `error`',
    variants: [
      {
        over: 'plain',
        turns: [plain({ error: { message: 'upstream', code: 502 } })],
        ...failing('SERVER_ERROR'),
      },
      {
        what: 'of a context that is too long',
        over: 'plain',
        turns: [plain({ error: { code: 'context_length_exceeded' } })],
        ...failing('OVER_CONTEXT'),
      },
      {
        what: 'after a call that was whole',
        over: 'stream',
        turns: [events(CALL_WHOLE, { error: { code: 429 } })],
        ...failing('RATE_LIMITED'),
      },
    ],
  },
  {
    n: 39,
    title: 'neither content nor calls',
    variants: [
      { over: 'plain', turns: [choice({ role: 'assistant' })], ...failing('EMPTY') },
      { over: 'stream', turns: [events(finish('stop'), '[DONE]')], ...failing('EMPTY') },
    ],
  },
  {
    n: 40,
    title: 'a refusal',
    variants: [
      {
        what: 'beside content that looks like an answer',
        over: 'plain',
        turns: [choice({ content: '{}', refusal: 'I cannot' })],
        ...failing('REFUSED'),
      },
      {
        over: 'stream',
        turns: [
          events(
            { choices: [{ delta: { refusal: 'I can' } }] },
            { choices: [{ delta: { refusal: 'not' }, finish_reason: 'stop' }] },
            '[DONE]',
          ),
        ],
        ...failing('REFUSED'),
      },
    ],
  },
  {
    n: 41,
    title: 'a malformed call is reported as an ordinary end',
    variants: [
      {
        what: 'under a reason of its own',
        over: 'either',
        turns: [{ kind: 'CALLS', calls: [call()], finishReason: 'MALFORMED_FUNCTION_CALL' }],
        ...failing('INVALID_RESPONSE'),
      },
      {
        what: 'as `stop` over a call without id, name and arguments',
        over: 'plain',
        turns: [choice({ content: null, tool_calls: [{ type: 'function' }] })],
        outcome: 'TOOL_CALLS',
        strict: [[null, '(unnamed)', '{}']],
        mint: [[null, '(unnamed)', '{}']],
        executed: NOTHING,
      },
    ],
  },
];

const WHITE = ' '.repeat(5_000_000);

const FORMAT: readonly AdapterCase[] = [
  {
    n: 42,
    title: '`response_format` is ignored',
    variants: [answering('All is well.', 'All is well.')],
  },
  {
    n: 43,
    title: 'JSON in a code fence',
    variants: [
      answering('Here:\n```json\n{"a":1}\n```\nDone.', '{"a":1}'),
      {
        what: 'two of them are none',
        ...answering('```\n{"a":1}\n```\n```\n{"a":2}\n```', '```\n{"a":1}\n```\n```\n{"a":2}\n```'),
      },
    ],
  },
  {
    n: 44,
    title: 'JSON within or after `<think>`',
    variants: [
      answering('<think>{"a":0} or so</think>\n{"a":1}', '{"a":1}'),
      answering('<think>{"a":1}</think>', '{"a":1}'),
      { what: 'as content it stays', ...answering('{"a":"<think>x</think>"}', '{"a":"<think>x</think>"}') },
    ],
  },
  {
    n: 45,
    title: 'white space or digits without end',
    variants: [
      { over: 'plain', turns: [plain(WHITE)], ...failing('INVALID_RESPONSE') },
      { over: 'stream', turns: [events(token(WHITE), '[DONE]')], ...failing('INVALID_RESPONSE') },
    ],
  },
  {
    n: 46,
    title: 'a call is written as text',
    variants: [
      answering(
        '<tool_call>{"name":"search_logs","arguments":{}}</tool_call>',
        '<tool_call>{"name":"search_logs","arguments":{}}</tool_call>',
      ),
      answering('{"name":"search_logs","arguments":{}}', '{"name":"search_logs","arguments":{}}'),
    ],
  },
  {
    n: 47,
    title: 'the provider demands its reasoning or its signatures back',
    variants: [
      {
        over: 'plain',
        turns: [
          choice(
            {
              content: null,
              reasoning_content: 'because',
              tool_calls: [
                {
                  id: 'call_a',
                  function: { name: 'search_logs', arguments: ARGUMENTS },
                  extra_content: { google: { thought_signature: 'sig' } },
                },
              ],
            },
            'tool_calls',
          ),
          // Sees them where they were, or has lost the thread.
          ({ body }: ScriptedRequest) => {
            const turn = body.messages.find(({ role }) => role === 'assistant') as
              { reasoning_content?: string; tool_calls?: { extra_content?: unknown }[] } | undefined;
            const kept = JSON.stringify([turn?.reasoning_content, turn?.tool_calls?.[0]?.extra_content]);
            return turn === undefined || kept === '["because",{"google":{"thought_signature":"sig"}}]'
              ? saying('{}')
              : plain({ error: { message: 'reasoning_content must be passed back' } }, 400);
          },
        ],
        outcome: 'TEXT',
        answer: '{}',
        executed: ONE.executed,
      },
    ],
  },
];

const PLUMBING: readonly AdapterCase[] = [
  {
    n: 48,
    title: 'NUL and lone surrogates',
    variants: [
      {
        over: 'plain',
        turns: [
          plain(
            '{"choices":[{"message":{"content":"{\\"a\\":\\"x\\u0000y\\ud800\\"}"},"finish_reason":"stop"}]}',
          ),
        ],
        outcome: 'TEXT',
        answer: '{"a":"xy\ufffd"}',
        executed: NOTHING,
      },
      {
        what: 'in arguments, escaped and not',
        over: 'either',
        turns: [proposing(call({ arguments: '{"service":"x\\u0000\0y\\ud800"}' }))],
        ...ONE,
        strict: [['call_a', 'search_logs', '{"service":"xy\\ufffd"}']],
        mint: [['tc-1-0', 'search_logs', '{"service":"xy\\ufffd"}']],
      },
    ],
  },
  {
    n: 49,
    title: 'a failure that the SDK would ask again for',
    variants: [
      { over: 'either', turns: [plain('{}', 500)], ...failing('SERVER_ERROR') },
      { over: 'either', turns: [plain('', 503, { 'x-should-retry': 'true' })], ...failing('SERVER_ERROR') },
      { over: 'either', turns: [plain('{}', 409)], ...failing('CLIENT_ERROR') },
      { over: 'either', turns: [plain('{}', 408)], ...failing('TIMEOUT') },
    ],
  },
  {
    n: 50,
    title: 'the body stalls after the headers',
    variants: [
      { over: 'plain', turns: [{ kind: 'HANG_BODY' }], timeoutMs: 200, ...failing('TIMEOUT') },
      {
        over: 'stream',
        turns: [{ kind: 'HANG_BODY', contentType: 'text/event-stream', body: 'data: {"choices":[]}\n\n' }],
        timeoutMs: 200,
        ...failing('TIMEOUT'),
      },
      {
        what: 'after all has been said: the answer counts',
        over: 'stream',
        turns: [
          {
            kind: 'HANG_BODY',
            contentType: 'text/event-stream',
            body: `data: ${JSON.stringify(token('{}', 'stop'))}\n\ndata: [DONE]\n\n`,
          },
        ],
        outcome: 'TEXT',
        answer: '{}',
        executed: NOTHING,
      },
      {
        what: 'or nothing comes',
        over: 'either',
        turns: [{ kind: 'HANG_HEADERS' }],
        timeoutMs: 200,
        ...failing('TIMEOUT'),
      },
    ],
  },
  {
    n: 51,
    title: 'usage comes in the last frame, or never',
    variants: [
      {
        over: 'stream',
        turns: [events(...completionEvents({ kind: 'TEXT', text: '{}' }))],
        outcome: 'TEXT',
        answer: '{}',
        executed: NOTHING,
      },
      {
        over: 'either',
        turns: [{ kind: 'TEXT', text: '{}', usage: null }],
        outcome: 'TEXT',
        answer: '{}',
        executed: NOTHING,
      },
    ],
  },
  {
    n: 52,
    title: '`content` is null, or empty',
    variants: [
      { over: 'plain', turns: [choice({ content: null })], ...failing('EMPTY') },
      { over: 'either', turns: [saying('')], ...failing('EMPTY') },
      { over: 'stream', turns: [events(token(null), finish('stop'), '[DONE]')], ...failing('EMPTY') },
    ],
  },
  {
    n: 53,
    title: '429 with `retry-after`',
    variants: [
      {
        over: 'either',
        turns: [plain({ error: { message: 'slow down' } }, 429, { 'retry-after': '2' })],
        retryAfterMs: 2_000,
        ...failing('RATE_LIMITED'),
      },
    ],
  },
  {
    n: 54,
    title: 'the connection is cut in the middle',
    variants: [
      { over: 'plain', turns: [{ kind: 'CUT', body: '{"choices":[{"mess' }], ...failing('TRANSPORT') },
      {
        over: 'stream',
        turns: [{ kind: 'EVENTS', events: [CALL_WHOLE], end: false }],
        ...failing('TRANSPORT'),
      },
      { what: 'or at once', over: 'either', turns: [{ kind: 'CUT' }], ...failing('TRANSPORT') },
    ],
  },
  {
    n: 55,
    title: 'a tool that does not exist',
    variants: [
      {
        over: 'either',
        turns: [proposing(call({ name: 'delete_pod' }), call({ id: 'call_b', name: undefined }))],
        outcome: 'TOOL_CALLS',
        strict: [
          ['call_a', 'delete_pod', ARGUMENTS],
          ['call_b', '(unnamed)', ARGUMENTS],
        ],
        mint: [
          ['tc-1-0', 'delete_pod', ARGUMENTS],
          ['tc-1-1', '(unnamed)', ARGUMENTS],
        ],
        executed: NOTHING,
      },
      {
        what: 'whose name is a sentence: it would be shown',
        over: 'either',
        turns: [proposing(call({ name: 'see https://evil.example now' }))],
        outcome: 'TOOL_CALLS',
        strict: [['call_a', '(malformed)', ARGUMENTS]],
        mint: [['tc-1-0', '(malformed)', ARGUMENTS]],
        executed: NOTHING,
      },
    ],
  },
];

export const ANSWERS_AND_PLUMBING: readonly AdapterCase[] = [...EMPTY_AND_ERRORS, ...FORMAT, ...PLUMBING];

import type { CallSpec, ScriptedRequest } from '@inquest/testing/scripted-model';
import { call, delta, events, finish } from '../asking';
import {
  ARGUMENTS,
  BOTH,
  NOTHING,
  ONE,
  plain,
  proposing,
  second,
  type AdapterCase,
  type Variant,
} from './adapter-case';

/** One call whose id no run can use, in either mode. */
const unusable = (what: string, spec: CallSpec): Variant => ({
  what,
  over: 'either',
  turns: [proposing(spec)],
  outcome: 'TOOL_CALLS',
  strict: [[null, 'search_logs', ARGUMENTS]],
  mint: [[null, 'search_logs', ARGUMENTS]],
  executed: NOTHING,
});

/** Two calls under one id: the first is the call, the second must not run, nor change the first. */
const firstOnly = (id: string, other: CallSpec): Variant => {
  const args = String(other.arguments ?? ARGUMENTS);
  return {
    over: 'either',
    turns: [proposing(call({ id }), call({ id, ...other }))],
    outcome: 'TOOL_CALLS',
    strict: [
      [id, 'search_logs', ARGUMENTS],
      [id, String(other.name ?? 'search_logs'), args],
    ],
    mint: [
      ['tc-1-0', 'search_logs', ARGUMENTS],
      [null, String(other.name ?? 'search_logs'), args],
    ],
    executed: { strict: [id], mint: ['tc-1-0'] },
  };
};

const snapshot = (args: string) =>
  delta([{ index: 0, id: 'call_a', function: { name: 'search_logs', arguments: args } }]);

/** An endpoint that refuses a transcript whose tool messages do not name the calls that they answer. */
const refusingLooseResults = ({ body }: ScriptedRequest) => {
  const asked = body.messages.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []);
  const answered = body.messages.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id);
  const sound = asked.length === answered.length && asked.every((id, i) => id !== '' && answered[i] === id);
  return sound
    ? ({ kind: 'TEXT', text: '{}' } as const)
    : plain({ error: { message: 'tool_call_id is missing' } }, 400);
};

const many = Array.from({ length: 20 }, (_, i) => call({ id: `call_${i}` }));
const acceptedOfMany = many.slice(0, 16);

export const IDS_AND_PARALLEL: readonly AdapterCase[] = [
  { n: 1, title: 'a call has no id', variants: [unusable('none', call({ id: undefined }))] },
  { n: 2, title: 'a call has an empty id', variants: [unusable('""', call({ id: '' }))] },
  {
    n: 3,
    title: 'an empty id stands where `??` keeps it',
    variants: [
      {
        what: 'in later deltas of a call',
        over: 'stream',
        turns: [
          events(
            delta([{ index: 0, id: 'call_a', function: { name: 'search_logs', arguments: '' } }]),
            delta([{ index: 0, id: '', function: { arguments: ARGUMENTS } }]),
            finish('tool_calls'),
            '[DONE]',
          ),
        ],
        ...ONE,
      },
      {
        what: 'beside a call that has one',
        over: 'either',
        turns: [proposing(call({ id: '' }), second())],
        outcome: 'TOOL_CALLS',
        strict: [
          [null, 'search_logs', ARGUMENTS],
          ['call_b', 'list_objects', '{"kind":"Pod"}'],
        ],
        mint: [
          [null, 'search_logs', ARGUMENTS],
          ['tc-1-1', 'list_objects', '{"kind":"Pod"}'],
        ],
        executed: { strict: ['call_b'], mint: ['tc-1-1'] },
      },
    ],
  },
  { n: 4, title: 'an id is null', variants: [unusable('null', call({ id: null }))] },
  {
    n: 5,
    title: 'an id is a number',
    variants: [unusable('7', call({ id: 7 })), unusable('0', call({ id: 0 }))],
  },
  {
    n: 6,
    title: 'the name of the function is used as the id',
    variants: [
      {
        what: 'once: a sound id as far as anybody can tell',
        over: 'either',
        turns: [proposing(call({ id: 'search_logs' }))],
        outcome: 'TOOL_CALLS',
        strict: [['search_logs', 'search_logs', ARGUMENTS]],
        mint: [['tc-1-0', 'search_logs', ARGUMENTS]],
        executed: { strict: ['search_logs'], mint: ['tc-1-0'] },
      },
      { what: 'twice', ...firstOnly('search_logs', { arguments: '{"service":"y"}' }) },
    ],
  },
  {
    n: 7,
    title: 'ids are used again in later turns',
    variants: [
      {
        over: 'either',
        turns: [proposing(call({ id: 'call_0' })), proposing(call({ id: 'call_0', name: 'active_alerts' }))],
        outcome: 'TOOL_CALLS',
        strict: [['call_0', 'active_alerts', ARGUMENTS]],
        mint: [['tc-2-0', 'active_alerts', ARGUMENTS]],
        executed: { strict: ['call_0'], mint: ['tc-1-0', 'tc-2-0'] },
      },
    ],
  },
  {
    n: 8,
    title: 'one id comes with other arguments',
    variants: [{ what: 'in one response', ...firstOnly('call_a', { arguments: '{"service":"y"}' }) }],
  },
  {
    n: 9,
    title: 'every call of the run has one constant id',
    variants: [
      {
        over: 'either',
        turns: [1, 2, 3, 4].map(() => proposing(call({ id: 'call' }))),
        outcome: 'TOOL_CALLS',
        strict: [['call', 'search_logs', ARGUMENTS]],
        mint: [['tc-4-0', 'search_logs', ARGUMENTS]],
        executed: { strict: ['call'], mint: ['tc-1-0', 'tc-2-0', 'tc-3-0', 'tc-4-0'] },
        sealed: { strict: 'TOOL_IDS_UNUSABLE', mint: null },
      },
    ],
  },
  {
    n: 10,
    title: 'a response repeats an id',
    variants: [firstOnly('call_a', { name: 'list_objects', arguments: '{}' })],
  },
  {
    n: 11,
    title: 'growing snapshots of a call are sent as deltas',
    variants: [
      {
        over: 'stream',
        turns: [
          events(snapshot('{"ser'), snapshot(ARGUMENTS), snapshot(ARGUMENTS), finish('tool_calls'), '[DONE]'),
        ],
        ...ONE,
      },
    ],
  },
  {
    n: 12,
    title: 'ids of parallel calls collide',
    variants: [
      {
        over: 'either',
        turns: [proposing(call({ id: 'call_0' }), second({ id: 'call_0' }), second({ id: 'call_1' }))],
        outcome: 'TOOL_CALLS',
        strict: [
          ['call_0', 'search_logs', ARGUMENTS],
          ['call_0', 'list_objects', '{"kind":"Pod"}'],
          ['call_1', 'list_objects', '{"kind":"Pod"}'],
        ],
        mint: [
          ['tc-1-0', 'search_logs', ARGUMENTS],
          [null, 'list_objects', '{"kind":"Pod"}'],
          ['tc-1-2', 'list_objects', '{"kind":"Pod"}'],
        ],
        executed: { strict: ['call_0', 'call_1'], mint: ['tc-1-0', 'tc-1-2'] },
      },
    ],
  },
  {
    n: 13,
    title: 'a tool message without its call id is refused',
    variants: [
      {
        what: 'so every one of ours carries it',
        over: 'either',
        turns: [proposing(call(), second()), refusingLooseResults],
        outcome: 'TEXT',
        answer: '{}',
        executed: BOTH.executed,
      },
    ],
  },
  {
    n: 14,
    title: 'a dictionary by tool name would lose calls',
    variants: [
      {
        over: 'either',
        turns: [proposing(call(), call({ id: 'call_b', arguments: '{"service":"y"}' }))],
        outcome: 'TOOL_CALLS',
        strict: [
          ['call_a', 'search_logs', ARGUMENTS],
          ['call_b', 'search_logs', '{"service":"y"}'],
        ],
        mint: [
          ['tc-1-0', 'search_logs', ARGUMENTS],
          ['tc-1-1', 'search_logs', '{"service":"y"}'],
        ],
        executed: BOTH.executed,
      },
    ],
  },
  {
    n: 15,
    title: 'a batch holds identical calls',
    variants: [
      {
        over: 'either',
        turns: [proposing(call(), call({ id: 'call_b' }))],
        outcome: 'TOOL_CALLS',
        strict: [
          ['call_a', 'search_logs', ARGUMENTS],
          ['call_b', 'search_logs', ARGUMENTS],
        ],
        mint: [
          ['tc-1-0', 'search_logs', ARGUMENTS],
          ['tc-1-1', 'search_logs', ARGUMENTS],
        ],
        executed: BOTH.executed,
      },
    ],
  },
  {
    n: 16,
    title: 'more calls come than were allowed',
    variants: [
      {
        over: 'either',
        turns: [proposing(...many)],
        outcome: 'TOOL_CALLS',
        strict: many.map(({ id }) => [String(id), 'search_logs', ARGUMENTS] as const),
        mint: many.map((_, i) => [`tc-1-${i}`, 'search_logs', ARGUMENTS] as const),
        executed: {
          strict: acceptedOfMany.map(({ id }) => String(id)),
          mint: acceptedOfMany.map((_, i) => `tc-1-${i}`),
        },
      },
    ],
  },
  {
    n: 17,
    title: 'calls are wrapped into `multi_tool_use.parallel`',
    variants: [
      {
        over: 'either',
        turns: [
          proposing(
            call({
              name: 'multi_tool_use.parallel',
              arguments: '{"tool_uses":[{"recipient_name":"functions.search_logs","parameters":{}}]}',
            }),
          ),
        ],
        outcome: 'TOOL_CALLS',
        executed: NOTHING,
      },
    ],
  },
];

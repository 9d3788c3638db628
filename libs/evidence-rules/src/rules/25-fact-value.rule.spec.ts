import fc from 'fast-check';
import { describeRule, findingsOf, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { factValue } from './25-fact-value.rule';

type Value = NonNullable<LooseAnalysis['facts']>[number]['value'];
const cut = result(
  'call_cut',
  { matched: 90, rows: [1, 2, 3], inner: { list: [1, 2], cut: [1, '[TRUNCATED 7 items]'] } },
  { truncated: true },
);
const fact = (toolCallId: string, path: string, value: Value, policy = 'exact') =>
  withAnalysis({ toolCallIds: [toolCallId], facts: [{ toolCallId, path, value, policy }] }, { extra: [cut] });
const logs = (path: string, value: Value, policy?: string) => fact('call_logs', path, value, policy);
const pods = (path: string, value: Value, policy?: string) => fact('call_pods', path, value, policy);
const metric = (path: string, value: Value, policy?: string) => fact('call_metric', path, value, policy);
const summary = '/series/0/summary';
const points = '/series/0/points';
const at = '/analyses/0/facts/0/value';
const IN_BERLIN = { zone: 'Europe/Berlin' };

describeRule(factValue, {
  passes: {
    'an exact number': logs('/matched', 42),
    'an exact text': pods('/rows/0/name', 'checkout-7d9f8b6c5-x2x4z'),
    'an exact boolean': pods('/rows/0/ready', true),
    'a number written as text': logs('/matched', '42'),
    'two decimals': pods('/rows/0/errorRate', 0.13, 'rounded(2)'),
    'no decimals': metric(`${summary}/p95`, 25, 'rounded(0)'),
    'a half rounded either way': metric('/series/0/points/1/1', 24, 'rounded(0)'),
    'three digits': metric(`${summary}/p95`, 24.9, 'sig(3)'),
    'one digit': metric(`${summary}/mean`, 20, 'sig(1)'),
    'the range of points': metric(points, [3, 25], 'range'),
    'the range of a summary': metric(summary, [3, 25], 'range'),
    'a count': logs('/rows', 2, 'count'),
    'a count of nothing': pods('/rows/2/conditions', 0, 'count'),
    'a moment with another offset': logs('/rows/0/time', '2026-03-02T11:14:05+01:00'),
    'the unit of a moment, which is rule 21’s': withAnalysis({
      toolCallIds: ['call_metric'],
      facts: [
        {
          toolCallId: 'call_metric',
          path: `${points}/0/0`,
          value: 1_772_445_600,
          unit: 'ms',
          policy: 'exact',
        },
      ],
    }),
    'a moment without its offset, which is rule 21’s': withAnalysis(
      {
        facts: [
          { toolCallId: 'call_logs', path: '/rows/0/time', value: '2026-03-02T10:14:05', policy: 'exact' },
        ],
      },
      IN_BERLIN,
    ),
    'a path that leads nowhere, which is rule 24’s': logs('/total', 42),
    'a call that is not there, which is rule 6’s': fact('call_none', '/matched', 42),
    'a count inside a list that was cut': fact('call_cut', '/inner/list', 2, 'count'),
  },
  fails: {
    'another number': [logs('/matched', 43), at],
    'another text': [pods('/rows/0/name', 'checkout-7d9f8b6c5-x2x4y'), at],
    'another case': [logs('/rows/0/level', 'error'), at],
    'a flipped boolean': [pods('/rows/0/ready', false), at],
    'another moment': [logs('/rows/0/time', '2026-03-02T10:14:06Z'), at],
    'another moment without an offset': [logs('/rows/0/time', '2026-03-02T10:14:06'), at],
    'a name that stands in another call': [logs('/rows/0/service', 'db_connections_in_use'), at],
    'a text that reads like the boolean’s opposite': [pods('/rows/0/ready', 'false'), at],
    'a null': [logs('/matched', null), at],
    'a wrong second decimal': [pods('/rows/0/errorRate', 0.12, 'rounded(2)'), at],
    'more decimals than declared': [pods('/rows/0/errorRate', 0.1267, 'rounded(2)'), at],
    'a wrong third digit': [metric(`${summary}/p95`, 24.8, 'sig(3)'), at],
    'a range that is wider': [metric(points, [0, 25], 'range'), at],
    'a range over one number': [metric(`${summary}/max`, [20, 30], 'range'), at],
    'a range that is a number': [metric(points, 25, 'range'), at],
    'a wrong count': [logs('/rows', 3, 'count'), at],
    'a count of a number': [logs('/matched', 42, 'count'), at],
    'rounding of a text': [logs('/rows/0/level', 'ERROR', 'rounded(1)'), at],
    'an object as a value': [logs('/rows/0', 'x'), at],
    'the count of a list with a mark of what was left out': [
      fact('call_cut', '/inner/cut', 2, 'count'),
      '/analyses/0/facts/0/policy',
    ],
    'the count of a list that was cut': [fact('call_cut', '/rows', 3, 'count'), '/analyses/0/facts/0/policy'],
  },
});

describe('rule 25 on any number', () => {
  const claimed = (actual: number, value: number, policy: string) =>
    findingsOf(
      factValue,
      withAnalysis(
        { toolCallIds: ['call_n'], facts: [{ toolCallId: 'call_n', path: '/n', value, policy }] },
        { extra: [result('call_n', { n: actual })] },
      ),
    );
  const number = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );

  it('never rejects the value itself, nor its own rounding', () => {
    fc.assert(
      fc.property(
        number,
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        (n, decimals, digits) => {
          expect(claimed(n, n, 'exact')).toEqual([]);
          expect(claimed(n, Number(n.toFixed(decimals)), `rounded(${decimals})`)).toEqual([]);
          expect(claimed(n, Number(n.toPrecision(digits)), `sig(${digits})`)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('catches every changed digit of an exact value', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 9_999_999 }),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        (n, place, by) => {
          const digits = [...String(n)];
          const at = place % digits.length;
          digits[at] = String((Number(digits[at]) + by) % 10);
          expect(claimed(n, Number(digits.join('')), 'exact')).toHaveLength(1);
        },
      ),
      { numRuns: 150 },
    );
  });
});

it('names another call in whose output the claimed value stands', () => {
  expect(findingsOf(factValue, logs('/rows/0/service', 'db_connections_in_use'))).toMatchObject([
    { toolCallId: 'call_metric', candidates: ['/series/0/name'] },
  ]);
});

it('points at where the claimed value does stand', () => {
  expect(findingsOf(factValue, metric(`${summary}/max`, 3))).toMatchObject([
    { candidates: ['/series/0/points/0/1', '/series/0/summary/min'] },
  ]);
});

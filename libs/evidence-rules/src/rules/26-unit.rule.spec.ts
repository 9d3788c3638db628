import { describeRule, findingsOf, withAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { factValue } from './25-fact-value.rule';
import { unit } from './26-unit.rule';

const call = result('call_units', {
  series: [{ unit: 'ms', summary: { max: 1500 } }],
  limits: { memory: '64Mi', cpu: '250m' },
  waited_ms: 20,
  share: { unit: 'ratio', last: 0.93 },
  plain: 7,
  odd: { unit: 'sessions', last: 4 },
});
const fact = (path: string, value: number | string, of: string, policy = 'exact') =>
  withAnalysis(
    { toolCallIds: ['call_units'], facts: [{ toolCallId: 'call_units', path, value, unit: of, policy }] },
    { extra: [call] },
  );
const max = '/series/0/summary/max';
const at = '/analyses/0/facts/0/unit';

describeRule(unit, {
  passes: {
    'the same unit': fact(max, 1500, 'ms'),
    'seconds for milliseconds': fact(max, 1.5, 's'),
    'the unit in a key': fact('/waited_ms', 20, 'ms'),
    'a percentage for a share': fact('/share/last', 93, '%'),
    'a measurement in text': fact('/limits/memory', 64, 'Mi'),
    'any unit where none is stated': fact('/plain', 7, 'pods'),
    'a path that leads nowhere, which is rule 24’s': fact('/total', 7, 'MB'),
    'the count of a list': fact('/series', 1, 'series', 'count'),
    'a unit that only the output knows': fact('/odd/last', 4, 'sessions'),
  },
  fails: {
    'bytes for milliseconds': [fact(max, 1500, 'MB'), at],
    'percentage points for a share': [fact('/share/last', 93, 'pp'), at],
    'cores for memory': [fact('/limits/memory', 64, 'cores'), at],
    'an unknown unit for a known one': [fact(max, 1500, 'widgets'), at],
    'a known unit for an unknown one': [fact('/odd/last', 4, 'ms'), at],
    'seconds for a key in milliseconds, of another dimension': [fact('/waited_ms', 20, 'Mi'), at],
  },
});

describe('rule 25 converts exactly', () => {
  it.each([
    ['1500 ms as 1.5 s', fact(max, 1.5, 's')],
    ['1500 ms as 0.025 min', fact(max, 0.025, 'min')],
    ['0.93 as 93 %', fact('/share/last', 93, '%')],
    ['64Mi as 65536 Ki', fact('/limits/memory', 65_536, 'Ki')],
    ['250m as 0.25 cores', fact('/limits/cpu', 0.25, 'cores')],
    ['64Mi as its own text', fact('/limits/memory', '64Mi', 'Mi')],
  ])('accepts %s', (_, input) => expect(findingsOf(factValue, input)).toEqual([]));

  it.each([
    ['1500 ms as 1500 s', fact(max, 1500, 's')],
    ['1500 ms as 15 s', fact(max, 15, 's')],
    ['0.93 as 0.93 %', fact('/share/last', 0.93, '%')],
    ['64Mi as 64 Ki', fact('/limits/memory', 64, 'Ki')],
    ['64Mi as 64 MB', fact('/limits/memory', 64, 'MB')],
    ['250m as 250 cores', fact('/limits/cpu', 250, 'cores')],
  ])('rejects %s', (_, input) => expect(findingsOf(factValue, input)).toHaveLength(1));
});

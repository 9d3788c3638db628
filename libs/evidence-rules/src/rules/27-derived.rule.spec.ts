import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { derived } from './27-derived.rule';

type Derived = NonNullable<LooseAnalysis['derived']>[number];
const summary = (key: string) => ({ toolCallId: 'call_metric', path: `/series/0/summary/${key}` });
const claim = (
  op: Derived['op'],
  value: number,
  operands = [summary('max'), summary('min')],
  policy = 'exact',
) => withAnalysis({ toolCallIds: ['call_metric'], derived: [{ op, operands, value, policy }] });
const at = '/analyses/0/derived/0';

const units = result('call_units', {
  limits: { memory: '300Mi', request: '180Mi', cpu: '250m' },
  idle: { unit: 'ms', first: 0, last: 5, isOver: true },
  share: { unit: 'ratio', first: 0.02, last: 0.1 },
  load: { unit: '%', first: 20, last: 26 },
  wait: { unit: 'ms', first: 40, last: 60 },
});
const inUnits = (
  op: Derived['op'],
  value: number,
  paths: readonly string[],
  unit?: string,
  text = 'As computed.',
) =>
  withAnalysis(
    {
      text,
      toolCallIds: ['call_units'],
      derived: [
        {
          op,
          value,
          policy: 'rounded(3)',
          operands: paths.map((path) => ({ toolCallId: 'call_units', path })),
          ...(unit === undefined ? {} : { unit }),
        },
      ],
    },
    { extra: [units] },
  );
const WAIT = ['/wait/last', '/wait/first'];
const rising = (text: string) => inUnits('pct_change', 50, ['/wait/first', '/wait/last'], '%', text);
const pair = (text: string) =>
  withAnalysis(
    {
      text,
      toolCallIds: ['call_units'],
      facts: ['first', 'last'].map((key) => ({
        toolCallId: 'call_units',
        path: `/wait/${key}`,
        value: key === 'first' ? 40 : 60,
        unit: 'ms',
        policy: 'exact',
      })),
    },
    { extra: [units] },
  );

describeRule(derived, {
  passes: {
    'a difference': claim('diff', 22),
    'a sum': claim('sum', 28),
    'a ratio': claim('ratio', 8.33, undefined, 'rounded(2)'),
    'a change in per cent': claim('pct_change', 733, [summary('min'), summary('max')], 'rounded(0)'),
    'a mean': claim('mean', 14),
    'a maximum': claim('max', 25),
    'a minimum': claim('min', 3),
    'a count': claim('count', 2),
    'a count of names': claim('count', 2, [
      { toolCallId: 'call_metric', path: '/tool' },
      { toolCallId: 'call_metric', path: '/series/0/name' },
    ]),
    'an operand of a call that is not there, which is rule 6’s': withAnalysis({
      toolCallIds: ['call_none'],
      derived: [
        { op: 'sum', operands: [{ toolCallId: 'call_none', path: '/a' }], value: 1, policy: 'exact' },
      ],
    }),
    'a difference of measurements': inUnits('diff', 120, ['/limits/memory', '/limits/request'], 'Mi'),
    'a difference in another unit': inUnits('diff', 0.02, WAIT, 's'),
    'a difference of shares': inUnits('diff', 0.08, ['/share/last', '/share/first']),
    'a difference of shares, as a share': inUnits('diff', 0.08, ['/share/last', '/share/first'], 'ratio'),
    'a difference of shares in percentage points': inUnits('diff', 8, ['/share/last', '/share/first'], 'pp'),
    'a difference of percentages in percentage points': inUnits(
      'diff',
      6,
      ['/load/last', '/load/first'],
      'pp',
    ),
    'a ratio in per cent': inUnits('ratio', 150, WAIT, '%'),
    'a rise that is called one': rising('It rose by 50 %.'),
    'a rise that is denied to be a fall': rising('It did not fall by 50 %.'),
    'a fall of something else': rising('It rose by 50 %. Requests fell.'),
    'two facts and the word for them': pair('It climbed from 40 to 60 ms.'),
  },
  fails: {
    'a wrong number and the sentence that says it': [
      inUnits('diff', 21, WAIT, 'ms', 'They are 21 ms apart.'),
      `${at}/value`,
      '/analyses/0/text',
    ],
    'a wrong difference': [claim('diff', 21), `${at}/value`],
    'operands the wrong way round': [claim('diff', 22, [summary('min'), summary('max')]), `${at}/value`],
    'a difference of three': [
      claim('diff', 22, [summary('max'), summary('min'), summary('min')]),
      `${at}/value`,
    ],
    'a wrong change': [
      claim('pct_change', 88, [summary('min'), summary('max')], 'rounded(0)'),
      `${at}/value`,
    ],
    'an operand that is not there': [claim('sum', 28, [summary('max'), summary('low')]), `${at}/operands/1`],
    'an operand that is no number': [
      claim('sum', 28, [summary('max'), { toolCallId: 'call_metric', path: '/tool' }]),
      `${at}/operands/1`,
    ],
    'an operand that is a yes or no': [inUnits('sum', 1, ['/idle/isOver']), `${at}/operands/0`],
    'a ratio to nothing': [inUnits('ratio', 5, ['/idle/last', '/idle/first']), `${at}/value`],
    'a change from nothing': [inUnits('pct_change', 100, ['/idle/first', '/idle/last'], '%'), `${at}/value`],
    'a ratio of three': [inUnits('ratio', 1, ['/idle/last', ...WAIT]), `${at}/value`],
    'an operand of a call that is not cited': [
      claim('sum', 28, [{ toolCallId: 'call_pods', path: '/matched' }]),
      `${at}/operands/0`,
    ],
    'a difference in the wrong unit': [inUnits('diff', 20, WAIT, 's'), `${at}/value`],
    'a difference of time in bytes': [inUnits('diff', 20, WAIT, 'MB'), `${at}/unit`],
    'time and memory in one sum': [inUnits('sum', 340, ['/wait/first', '/limits/memory']), `${at}/unit`],
    'a difference of percentages in per cent': [
      inUnits('diff', 6, ['/load/last', '/load/first'], '%'),
      `${at}/unit`,
    ],
    'a ratio with a unit': [inUnits('ratio', 1.5, WAIT, 'ms'), `${at}/unit`],
    'a change in per cent with another unit': [inUnits('pct_change', 50, WAIT, 'ms'), `${at}/unit`],
    'a rise that is called a fall': [rising('It fell by 50 %.'), '/analyses/0/text'],
    'a fall of what two facts say rose': [pair('It dropped from 40 to 60 ms.'), '/analyses/0/text'],
    'one thing counted twice': [claim('count', 2, [summary('max'), summary('max')]), `${at}/operands/0`],
  },
});

import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
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
  },
  fails: {
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
    'an operand of a call that is not cited': [
      claim('sum', 28, [{ toolCallId: 'call_pods', path: '/matched' }]),
      `${at}/operands/0`,
    ],
    'one thing counted twice': [claim('count', 2, [summary('max'), summary('max')]), `${at}/operands/0`],
  },
});

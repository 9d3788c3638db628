import { describeRule, withAnalysis } from '../../test/draft';
import { contradictionLocal } from './34-contradiction-local.rule';

const fact = (value: number, policy = 'exact', path = '/matched') => ({
  toolCallId: 'call_logs',
  path,
  value,
  policy,
});

describeRule(contradictionLocal, {
  passes: {
    'one value twice': withAnalysis({ facts: [fact(42), fact(42)] }),
    'a value and its rounding': withAnalysis({ facts: [fact(42), fact(40, 'sig(1)')] }),
    'two places': withAnalysis({ facts: [fact(42), fact(2, 'exact', '/returned')] }),
  },
  fails: {
    'two values at one place': [withAnalysis({ facts: [fact(42), fact(41)] }), '/analyses/0/facts/1/value'],
  },
});

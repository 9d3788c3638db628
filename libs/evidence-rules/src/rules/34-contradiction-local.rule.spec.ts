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
    'one value in two units': withAnalysis({
      facts: [
        { ...fact(1500), unit: 'ms' },
        { ...fact(1.5), unit: 's' },
      ],
    }),
    'one moment in two spellings': withAnalysis({
      facts: ['2026-03-02T10:14:05Z', '2026-03-02T11:14:05+01:00'].map((value) => ({ ...fact(0), value })),
    }),
    'two places': withAnalysis({ facts: [fact(42), fact(2, 'exact', '/returned')] }),
  },
  fails: {
    'two values at one place': [withAnalysis({ facts: [fact(42), fact(41)] }), '/analyses/0/facts/1/value'],
  },
});

import { describeRule, withAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { negativeValidity } from './16-negative-validity.rule';

const over = (selectorKnown: boolean | null) =>
  withAnalysis(
    { kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_metric2'], scope: {} },
    {
      extra: [
        result('call_metric2', { matched: 0, series: [] }, { evidenceStatus: 'NO_EVIDENCE', selectorKnown }),
      ],
    },
  );

describeRule(negativeValidity, {
  passes: { 'a known metric without points': over(true), 'a tool that has no selector': over(null) },
  fails: { 'a misspelt metric': [over(false), '/analyses/0/toolCallIds/0'] },
});

import { describeRule, given, type LooseDraft } from '../../test/draft';
import { FAILED } from '../../test/ledger';
import { conclusionBinding } from './09-conclusion-binding.rule';

const concluding = (status: LooseDraft['conclusion']['status'], ...analysisIds: string[]) =>
  given({ draft: (d) => Object.assign(d.conclusion, { status, analysisIds }) });

describeRule(conclusionBinding, {
  passes: {
    'no fault, on a negative': concluding('NO_FAULT_FOUND', 'a3'),
    'inconclusive, on a negative': concluding('INCONCLUSIVE', 'a3'),
    'a cause on a negative and another': concluding('PROBABLE_CAUSE', 'a3', 'a1'),
  },
  fails: {
    'no fault, although a source gave no answer': [
      given({
        draft: (d) => Object.assign(d.conclusion, { status: 'NO_FAULT_FOUND', analysisIds: ['a3'] }),
        extra: [FAILED],
      }),
      '/conclusion/status',
    ],
    'a conclusion on an unknown analysis': [concluding('INCONCLUSIVE', 'a9'), '/conclusion/analysisIds/0'],
    'a root cause on a negative alone': [
      concluding('ROOT_CAUSE_IDENTIFIED', 'a3'),
      '/conclusion/analysisIds',
    ],
    'a probable cause on a negative alone': [concluding('PROBABLE_CAUSE', 'a3'), '/conclusion/analysisIds'],
    'a plan for an unknown analysis': [
      given({ draft: (d) => Object.assign(d.actionPlan[0] ?? {}, { analysisIds: ['a2', 'a8'] }) }),
      '/actionPlan/0/analysisIds/1',
    ],
    'advice on an unknown analysis': [
      given({ draft: (d) => Object.assign(d.recommendations[0] ?? {}, { analysisIds: ['a8'] }) }),
      '/recommendations/0/analysisIds/0',
    ],
    'a candidate that binds an observation': [
      given({ draft: (d) => Object.assign(d.candidates?.[0] ?? {}, { analysisId: 'a1' }) }),
      '/candidates/0/analysisId',
    ],
    'a candidate that binds nothing': [
      given({ draft: (d) => Object.assign(d.candidates?.[0] ?? {}, { analysisId: 'a7' }) }),
      '/candidates/0/analysisId',
    ],
  },
});

import { describeRule, given } from '../../test/draft';
import { repairOnce } from './43-repair-once.rule';

const violation = {
  ruleId: '1 SCHEMA',
  analysisId: null,
  path: '',
  toolCallId: null,
  message: 'x',
  repairable: true,
  candidates: [],
};

describeRule(repairOnce, {
  passes: {
    'the repair of a rejected draft': given({ revision: 2, previousDraftText: '{}', repairOf: [violation] }),
  },
  fails: {
    'a third draft': [given({ revision: 3, previousDraftText: '{}', repairOf: [violation] }), ''],
    'a repair of nothing': [given({ revision: 2, repairOf: [violation] }), ''],
    'a repair without a reason': [given({ revision: 2, previousDraftText: '{}' }), ''],
    'a first draft that repairs': [given({ previousDraftText: '{}', repairOf: [violation] }), ''],
  },
});

import { describeRule, withAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { negativeCoverage } from './15-negative-coverage.rule';

const over = (gap: object) =>
  withAnalysis(
    { kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_gap'], scope: {} },
    { extra: [result('call_gap', { matched: 0, rows: [] }, { evidenceStatus: 'NO_EVIDENCE', ...gap })] },
  );
const at = '/analyses/0/toolCallIds/0';

describe('H3 a partial result is no absence', () => {
  describeRule(negativeCoverage, {
    passes: { 'a complete empty result': over({}), 'a gap under an observation': withAnalysis({}) },
    fails: {
      'a truncated result': [over({ truncated: true }), at],
      'a limited result': [over({ limitHit: true }), at],
      'a sampled result': [over({ sampled: true }), at],
      'a partial result': [over({ partial: true }), at],
      'a result filtered by permission': [over({ permissionFiltered: true }), at],
    },
  });
});

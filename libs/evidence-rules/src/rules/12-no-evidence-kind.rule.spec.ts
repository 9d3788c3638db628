import { describeRule, withAnalysis } from '../../test/draft';
import { WINDOW } from '../../test/ledger';
import { noEvidenceKind } from './12-no-evidence-kind.rule';

const scope = { service: 'payments', filter: 'level=ERROR, status=503', window: WINDOW };

describe('H3 what found nothing carries a negative only', () => {
  describeRule(noEvidenceKind, {
    passes: {
      'a negative': withAnalysis({ kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_nothing'], scope }),
    },
    fails: {
      'an observation': [
        withAnalysis({ kind: 'OBSERVATION', toolCallIds: ['call_nothing'] }),
        '/analyses/0/toolCallIds/0',
      ],
      'a correlation beside evidence': [
        withAnalysis({ kind: 'CORRELATION', toolCallIds: ['call_logs', 'call_nothing'] }),
        '/analyses/0/toolCallIds/1',
      ],
      'a cause': [
        withAnalysis({ kind: 'CAUSE', toolCallIds: ['call_nothing'] }),
        '/analyses/0/toolCallIds/0',
      ],
    },
  });
});

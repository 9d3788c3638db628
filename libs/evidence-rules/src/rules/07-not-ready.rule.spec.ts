import { describeRule, given, withAnalysis } from '../../test/draft';
import { FAILED, projecting, result } from '../../test/ledger';
import { notReady } from './07-not-ready.rule';

const broken = result(
  'call_broken',
  { error: 'TIMEOUT' },
  { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'TIMEOUT' },
);
const at = '/analyses/0/toolCallIds/0';

describeRule(notReady, {
  passes: {
    'a call that ran and whose source failed (rule 11 speaks of it)': withAnalysis(
      { toolCallIds: ['call_failed'] },
      { extra: [FAILED] },
    ),
    'a limitation that cites a call without a result': given({
      draft: (d) => (d.limitations[0] = { id: 'l1', text: 'It timed out.', toolCallIds: ['call_open'] }),
      extra: [projecting('call_open')],
    }),
  },
  fails: {
    'a call that is PROJECTING': [
      withAnalysis({ toolCallIds: ['call_open'] }, { extra: [projecting('call_open')] }),
      at,
    ],
    'what was read from it, once': [
      withAnalysis(
        {
          toolCallIds: ['call_broken'],
          facts: [{ toolCallId: 'call_broken', path: '/error', value: 'TIMEOUT', policy: 'exact' }],
        },
        { extra: [broken] },
      ),
      at,
    ],
    'a call that is ERROR': [withAnalysis({ toolCallIds: ['call_broken'] }, { extra: [broken] }), at],
  },
});

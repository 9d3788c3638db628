import { describeRule, given, withAnalysis } from '../../test/draft';
import { FAILED, result } from '../../test/ledger';
import { errorAsEvidence } from './11-error-as-evidence.rule';

const denied = result(
  'call_denied',
  { error: 'AccessDenied' },
  { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'ACCESS_DENIED' },
);
const at = '/analyses/0/toolCallIds/0';

describeRule(errorAsEvidence, {
  passes: {
    'a limitation that cites a failed call': given({
      draft: (d) => (d.limitations[0] = { id: 'l1', text: 'A query failed.', toolCallIds: ['call_failed'] }),
      extra: [FAILED],
    }),
  },
  fails: {
    'a failed source as an observation': [
      withAnalysis({ toolCallIds: ['call_failed'] }, { extra: [FAILED] }),
      at,
    ],
    'AccessDenied as evidence': [
      withAnalysis({ kind: 'CAUSE', toolCallIds: ['call_denied'] }, { extra: [denied] }),
      at,
    ],
    'an error as an absence': [
      withAnalysis(
        { kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_failed'], scope: {} },
        { extra: [FAILED] },
      ),
      at,
    ],
    'a fact read from an error': [
      withAnalysis(
        { facts: [{ toolCallId: 'call_failed', path: '/error', value: 'SOURCE_FAILED', policy: 'exact' }] },
        { extra: [FAILED] },
      ),
      '/analyses/0/facts/0/toolCallId',
    ],
  },
});

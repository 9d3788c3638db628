import { describeRule, findingsOf, given } from '../../test/draft';
import { FAILED, projecting, result } from '../../test/ledger';
import type { LedgerRecord } from '../guard-input';
import { missingLimitation } from './46-missing-limitation.rule';

const denied = result(
  'call_denied',
  {},
  { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'ACCESS_DENIED' },
);
const truncated = result('call_huge', { rows: [] }, { truncated: true });
const silentAbout = (record: LedgerRecord) => given({ extra: [record] });

describeRule(missingLimitation, {
  passes: {
    'an empty result': silentAbout(result('call_none', {}, { evidenceStatus: 'NO_EVIDENCE' })),
    'one limitation for two calls': given({
      draft: (d) =>
        void d.limitations.push({
          id: 'l2',
          text: 'Two calls failed.',
          toolCallIds: ['call_failed', 'call_huge'],
        }),
      extra: [FAILED, truncated],
    }),
    'a result that hit its limit': silentAbout(result('call_top', {}, { limitHit: true })),
  },
  fails: {
    'a failed call': [silentAbout(FAILED), '/limitations'],
    'a refused call': [silentAbout(denied), '/limitations'],
    'a truncated call': [silentAbout(truncated), '/limitations'],
    'a call without a result': [silentAbout(projecting('call_open')), '/limitations'],
  },
});

it('names the call, so that the repair can cite it', () => {
  expect(findingsOf(missingLimitation, silentAbout(FAILED))).toMatchObject([{ toolCallId: 'call_failed' }]);
});

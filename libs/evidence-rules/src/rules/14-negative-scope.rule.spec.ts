import { describeRule, findingsOf, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { projecting, result, WINDOW } from '../../test/ledger';
import { negativeScope } from './14-negative-scope.rule';

const asked = { service: 'payments', filter: 'level=ERROR, status=503', window: WINDOW };
const claiming = (scope: LooseAnalysis['scope'], toolCallIds = ['call_nothing']) =>
  withAnalysis({ kind: 'NEGATIVE_OBSERVATION', toolCallIds, scope });
const at = '/analyses/0/scope';

describe('H3 a negative is bounded to the scope of its query', () => {
  describeRule(negativeScope, {
    passes: {
      'exactly what was asked': claiming(asked),
      'a narrower window': claiming({
        ...asked,
        window: { from: '2026-03-02T10:10:00Z', to: '2026-03-02T10:20:00Z' },
      }),
      'the same window in another zone': claiming({
        ...asked,
        window: { from: '2026-03-02T11:00:00+01:00', to: '2026-03-02T12:00:00+01:00' },
      }),
      'the scope of a call that has not answered, which is rule 7’s': withAnalysis(
        { kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_slow'], scope: asked },
        { extra: [projecting('call_slow')] },
      ),
      'the scope of a call that is not there, which is rule 6’s': claiming(asked, ['call_none']),
      'one restriction more': claiming({
        ...asked,
        namespace: 'shop',
        filter: 'contains=x, level=ERROR, status=503',
      }),
      'a call without time, claimed without time': claiming({ namespace: 'shop' }, ['call_pods']),
    },
    fails: {
      'no scope': [claiming(undefined), '/analyses/0'],
      'a dropped filter': [claiming({ ...asked, filter: undefined }), at],
      'half the filter': [claiming({ ...asked, filter: 'level=ERROR' }), at],
      'another filter': [claiming({ ...asked, filter: 'level=ERROR, status=500' }), at],
      'another service': [claiming({ ...asked, service: 'checkout' }), at],
      'all services': [claiming({ ...asked, service: undefined }), at],
      'a wider window': [claiming({ ...asked, window: { ...WINDOW, to: '2026-03-02T11:00:01Z' } }), at],
      'an earlier window': [claiming({ ...asked, window: { ...WINDOW, from: '2026-03-02T09:59:59Z' } }), at],
      'no window': [claiming({ ...asked, window: undefined }), at],
      'an empty window': [claiming({ ...asked, window: { from: WINDOW.to, to: WINDOW.from } }), at],
      'a window over a moment': [claiming({ namespace: 'shop', window: WINDOW }, ['call_pods']), at],
      'the scope of the other call only': [claiming(asked, ['call_nothing', 'call_pods']), at],
    },
  });
});

it('names the call that was asked about all of it', () => {
  const wide = result(
    'call_wide',
    { matched: 0, rows: [] },
    { evidenceStatus: 'NO_EVIDENCE', scope: { service: 'payments' }, window: WINDOW },
  );
  const input = withAnalysis(
    {
      kind: 'NEGATIVE_OBSERVATION',
      toolCallIds: ['call_nothing'],
      scope: { service: 'payments', window: WINDOW },
    },
    { extra: [wide] },
  );
  expect(findingsOf(negativeScope, input)[0]?.message).toContain('call_wide was asked about all of it');
});

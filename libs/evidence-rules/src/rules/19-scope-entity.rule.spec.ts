import { describeRule, findingsOf, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { projecting } from '../../test/ledger';
import { scopeEntity } from './19-scope-entity.rule';

const logs = { service: 'checkout', namespace: 'shop', filter: 'level=ERROR' };
const claiming = (scope: LooseAnalysis['scope'], toolCallIds = ['call_logs']) =>
  withAnalysis({ toolCallIds, scope });
const at = '/analyses/0/scope';

describeRule(scopeEntity, {
  passes: {
    'the scope that was asked for': claiming(logs),
    'no scope': withAnalysis({}),
    'the scope of one of two calls': claiming({ namespace: 'shop' }, ['call_logs', 'call_pods']),
    'a name that the output shows': claiming({ namespace: 'shop', service: 'postgres-0' }, ['call_pods']),
    'a scope of a call that is not there, which is rule 6’s': claiming(logs, ['call_none']),
    'the scope of a call that has not answered, which is rule 7’s': withAnalysis(
      { toolCallIds: ['call_slow'], scope: logs },
      { extra: [projecting('call_slow')] },
    ),
  },
  fails: {
    'another service': [claiming({ ...logs, service: 'payments' }), at],
    'all services': [claiming({ namespace: 'shop', filter: 'level=ERROR' }), at],
    'another namespace': [claiming({ namespace: 'prod' }, ['call_pods']), at],
    'a dropped filter': [claiming({ service: 'checkout', namespace: 'shop' }), at],
    'a name that the output does not show': [
      claiming({ namespace: 'shop', service: 'payments' }, ['call_pods']),
      at,
    ],
  },
});

it('says which part is too wide, and which call was asked about all of it', () => {
  const [finding] = findingsOf(scopeEntity, claiming({ namespace: 'shop' }));
  expect(finding?.message).toContain('(service, filter)');
  expect(finding?.message).toContain('call_pods was asked about all of it');
});

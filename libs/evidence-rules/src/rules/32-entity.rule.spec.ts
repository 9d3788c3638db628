import { describeRule, findingsOf, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { entity } from './32-entity.rule';

type Type = NonNullable<LooseAnalysis['entities']>[number]['type'];
const gateway = result('call_gateway', {
  rows: [
    { name: 'checkout-gateway-5c6d7f8b9-bb2bb' },
    { host: 'orders.shop.svc.cluster.local', alert: 'High error rate' },
  ],
});
const naming = (type: Type, name: string, toolCallId = 'call_pods') =>
  withAnalysis(
    { toolCallIds: ['call_pods', 'call_gateway'], entities: [{ type, name, toolCallId }] },
    { extra: [gateway] },
  );
const at = '/analyses/0/entities/0/name';

it('points at names that look like it, or at another call that shows it', () => {
  const candidates = (name: string) => findingsOf(entity, naming('pod', name))[0];
  expect(candidates('Checkout-7d9f8b6c5-x2x4z')).toMatchObject({ candidates: ['/rows/0/name'] });
  expect(candidates('checkout-7d9f8b6c5-x2x4y')).toMatchObject({ candidates: ['/rows/0/name'] });
  expect(candidates('db_connections_in_use')).toMatchObject({
    toolCallId: 'call_metric',
    candidates: ['/series/0/name'],
  });
});

describeRule(entity, {
  passes: {
    'a pod': naming('pod', 'checkout-7d9f8b6c5-x2x4z'),
    'a workload by its pod': naming('workload', 'checkout'),
    'a stateful workload by its pod': naming('workload', 'postgres'),
    'a workload with a hyphen by its pod': naming('workload', 'checkout-gateway', 'call_gateway'),
    'a namespace': naming('namespace', 'shop'),
    'a label of a host name': naming('service', 'orders', 'call_gateway'),
    'a whole host name': naming('host', 'orders.shop.svc.cluster.local', 'call_gateway'),
    'a name of several words': naming('alert', 'High error rate', 'call_gateway'),
  },
  fails: {
    'a pod of `checkout-gateway` for `checkout`': [naming('workload', 'checkout', 'call_gateway'), at],
    'a part of a name': [naming('pod', 'checkout-7d9f8b6c5'), at],
    'a service by a pod': [naming('service', 'postgres'), at],
    'another case': [naming('namespace', 'Shop'), at],
    'another suffix': [naming('pod', 'checkout-7d9f8b6c5-x2x4y'), at],
    'an invented name': [naming('service', 'billing'), at],
    'half of a name of several words': [naming('alert', 'High error rat', 'call_gateway'), at],
    'a call that the analysis does not cite': [
      naming('service', 'checkout', 'call_logs'),
      '/analyses/0/entities/0/toolCallId',
    ],
  },
});

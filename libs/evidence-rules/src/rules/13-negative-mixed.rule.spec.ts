import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { negativeMixed } from './13-negative-mixed.rule';

const negative = (rest: Partial<LooseAnalysis>) =>
  withAnalysis({ kind: 'NEGATIVE_OBSERVATION', scope: { namespace: 'shop' }, ...rest });
const zero = (policy: string, value: number | string = 0) => [
  { toolCallId: 'call_pods', path: '/rows/0/restarts', value, policy },
];

describeRule(negativeMixed, {
  passes: {
    'what found nothing': negative({ toolCallIds: ['call_nothing'] }),
    'a typed zero': negative({ toolCallIds: ['call_pods'], facts: zero('exact') }),
    'a counted zero': negative({ toolCallIds: ['call_pods'], facts: zero('count') }),
    'a typed zero and whose it is': negative({
      toolCallIds: ['call_pods'],
      facts: zero('exact'),
      entities: [{ type: 'pod', name: 'checkout-7d9f8b6c5-x2x4z', toolCallId: 'call_pods' }],
    }),
    'what found nothing and the filter that it repeats': negative({
      toolCallIds: ['call_nothing'],
      quotes: [{ toolCallId: 'call_nothing', quote: 'search_logs' }],
    }),
    both: negative({ toolCallIds: ['call_nothing', 'call_pods'], facts: zero('exact') }),
  },
  fails: {
    'what found something': [negative({ toolCallIds: ['call_logs'] }), '/analyses/0/toolCallIds/0'],
    'a zero in another call': [
      negative({ toolCallIds: ['call_logs', 'call_pods'], facts: zero('exact') }),
      '/analyses/0/toolCallIds/0',
    ],
    'a zero beside another value': [
      negative({ toolCallIds: ['call_pods'], facts: [...zero('exact'), ...zero('exact', 4)] }),
      '/analyses/0/facts/1',
    ],
    'a zero beside a quote': [
      negative({
        toolCallIds: ['call_pods'],
        facts: zero('exact'),
        quotes: [{ toolCallId: 'call_pods', quote: 'checkout-gateway' }],
      }),
      '/analyses/0/quotes/0',
    ],
    'a rounded zero': [
      negative({ toolCallIds: ['call_pods'], facts: zero('rounded(0)') }),
      '/analyses/0/toolCallIds/0',
      '/analyses/0/facts/0',
    ],
    'a zero that is text': [
      negative({ toolCallIds: ['call_pods'], facts: zero('exact', '0') }),
      '/analyses/0/toolCallIds/0',
      '/analyses/0/facts/0',
    ],
  },
});

import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { causalFromAbsence } from './18-causal-from-absence.rule';

const cause = (rest: Partial<LooseAnalysis>) => withAnalysis({ kind: 'CAUSE', ...rest });
const zero = { toolCallId: 'call_pods', path: '/rows/0/restarts', value: 0, policy: 'exact' };
const four = { toolCallId: 'call_pods', path: '/rows/1/restarts', value: 4, policy: 'exact' };

describeRule(causalFromAbsence, {
  passes: {
    'a cause on evidence': cause({}),
    'a cause on a zero and a figure': cause({ toolCallIds: ['call_pods'], facts: [zero, four] }),
    'a cause on a zero and a quote': cause({
      toolCallIds: ['call_pods'],
      facts: [zero],
      quotes: [{ toolCallId: 'call_pods', quote: 'checkout-gateway' }],
    }),
    'an observation on a zero': withAnalysis({ toolCallIds: ['call_pods'], facts: [zero] }),
  },
  fails: {
    'a cause that cites what found nothing': [
      cause({ toolCallIds: ['call_logs', 'call_nothing'] }),
      '/analyses/0/toolCallIds/1',
    ],
    'a cause on zero counts alone': [
      cause({ toolCallIds: ['call_pods'], facts: [zero] }),
      '/analyses/0/facts',
    ],
  },
});

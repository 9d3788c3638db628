import { describeRule, given } from '../../test/draft';
import { noCitation } from './05-no-citation.rule';

const citing = (...toolCallIds: string[]) =>
  given({ draft: (d) => Object.assign(d.analyses[0] ?? {}, { toolCallIds }) });

describeRule(noCitation, {
  passes: { 'two calls': citing('call_logs', 'call_pods') },
  fails: {
    'no call': [citing(), '/analyses/0/toolCallIds'],
    'a call twice': [citing('call_logs', 'call_logs'), '/analyses/0/toolCallIds/1'],
    'more than an analysis may cite': [
      citing(...Array.from({ length: 21 }, (_, i) => `c${i}`)),
      '/analyses/0/toolCallIds',
    ],
  },
});

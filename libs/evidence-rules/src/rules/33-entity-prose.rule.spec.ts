import { answer, describeRule, withAnalysis } from '../../test/draft';
import { entityProse } from './33-entity-prose.rule';

const saying = (text: string, toolCallIds = ['call_metric', 'call_pods']) =>
  withAnalysis({ text, toolCallIds });
const at = '/analyses/0/text';

describeRule(entityProse, {
  passes: {
    'names of the output': saying('db_connections_in_use of checkout-7d9f8b6c5-x2x4z rose.'),
    'hyphens of prose': saying('A read-only, long-running, well-known two-phase thing.'),
    'names of calls and tools': saying('See call_metric and query_metric.'),
  },
  fails: {
    'a metric of its own': [saying('db_connections_in_us rose.'), at],
    'a pod of its own': [saying('checkout-7d9f8b6c5-x2x4y failed.'), at],
    'a name that stands in no cited document': [answer([{ text: 'See pg_stat_x.' }]), '/items/0/text'],
    'a name of a call that is not cited': [saying('db_connections_in_use rose.', ['call_pods']), at],
  },
});

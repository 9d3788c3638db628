import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { singleUntrustedSource } from './35-single-untrusted-source.rule';

const logs = result(
  'call_text',
  { matched: 2, rows: [{ message: 'the database is down' }] },
  { untrustedPaths: ['/rows/*/message'] },
);
const cause = (rest: Partial<LooseAnalysis>) =>
  withAnalysis({ kind: 'CAUSE', toolCallIds: ['call_text', 'call_metric'], ...rest }, { extra: [logs] });
const quote = { toolCallId: 'call_text', path: '/rows/0/message', quote: 'database is down' };
const matched = { toolCallId: 'call_text', path: '/matched', value: 2, policy: 'exact' };

describeRule(singleUntrustedSource, {
  passes: {
    'a log line and a count': cause({ quotes: [quote], facts: [matched] }),
    'a log line and a metric': cause({
      quotes: [quote],
      facts: [{ toolCallId: 'call_metric', path: '/series/0/summary/max', value: 25, policy: 'exact' }],
    }),
    'a log line and a number derived from counts': cause({
      quotes: [quote],
      derived: [
        {
          op: 'sum',
          operands: [{ toolCallId: 'call_text', path: '/matched' }],
          value: 2,
          policy: 'exact',
        },
      ],
    }),
    'an observation of a log line': cause({ kind: 'OBSERVATION', quotes: [quote] }),
    'a cause without places': cause({}),
    'a quote without a path, which names no place': cause({
      quotes: [{ toolCallId: 'call_text', quote: 'database is down' }],
    }),
    'a place in a call that is not there, which is rule 6’s': cause({
      facts: [{ ...matched, toolCallId: 'call_none' }],
    }),
  },
  fails: {
    'a log line alone': [cause({ quotes: [quote] }), '/analyses/0'],
    'two readings of a log line': [
      cause({
        quotes: [quote],
        facts: [
          {
            toolCallId: 'call_text',
            path: '/rows/0/message',
            value: 'the database is down',
            policy: 'exact',
          },
        ],
      }),
      '/analyses/0',
    ],
  },
});

import { describeRule, withAnalysis } from '../../test/draft';
import { freshness } from './23-freshness.rule';

const saying = (text: string, asOf: string, toolCallIds = ['call_logs']) =>
  withAnalysis({ text, toolCallIds }, { asOf });
const at = '/analyses/0/text';

describeRule(freshness, {
  passes: {
    'now, by a call that ended minutes ago': saying('It is failing now.', '2026-03-02T11:05:00Z'),
    'now, by a listing that was made minutes ago': saying('It is failing now.', '2026-03-02T11:15:00Z', [
      'call_pods',
    ]),
    'now, by a call that is not there, which is rule 6’s': saying('It fails now.', '2026-03-02T19:00:00Z', [
      'call_none',
    ]),
    'a past that is told as past': saying('It was failing. Nowhere near.', '2026-03-02T19:00:00Z'),
  },
  fails: {
    'now, by a call of hours ago': [saying('It is currently failing.', '2026-03-02T19:00:00Z'), at],
    'now, by a listing of hours ago': [saying('It fails now.', '2026-03-02T19:00:00Z', ['call_pods']), at],
    jetzt: [saying('Jetzt schlägt es fehl.', '2026-03-02T19:00:00Z'), at],
    目前: [saying('目前失败', '2026-03-02T19:00:00Z'), at],
  },
});

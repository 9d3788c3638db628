import { describeRule, findingsOf, withAnalysis } from '../../test/draft';
import { result, WINDOW } from '../../test/ledger';
import { window } from './20-window.rule';

const half = result(
  'call_half',
  { series: [] },
  { window: WINDOW, dataSpan: { from: '2026-03-02T10:30:00Z', to: '2026-03-02T10:59:00Z' } },
);
const claiming = (from: string, to: string, toolCallIds = ['call_half']) =>
  withAnalysis(
    { toolCallIds, scope: { window: { from: `2026-03-02T${from}`, to: `2026-03-02T${to}` } } },
    { extra: [half] },
  );
const at = '/analyses/0/scope/window';

describeRule(window, {
  passes: {
    'the queried window with data all over it': claiming('10:00:00Z', '11:00:00Z', ['call_metric']),
    'the data’s own span': claiming('10:30:00Z', '10:59:00Z'),
    'a rounding of the data’s span to the minute': claiming('10:29:00Z', '11:00:00Z'),
    'another zone': claiming('12:30:00+02:00', '12:40:00+02:00'),
    'a window of a call that is not there, which is rule 6’s': claiming('10:00:00Z', '11:00:00Z', [
      'call_none',
    ]),
    'a window that one of two calls covers': claiming('10:00:00Z', '10:20:00Z', ['call_half', 'call_metric']),
  },
  fails: {
    'more than the data span': [claiming('10:00:00Z', '11:00:00Z'), at],
    'beyond the query': [claiming('10:30:00Z', '11:00:01Z', ['call_metric']), at],
    'an hour off': [claiming('11:30:00Z', '11:40:00Z'), at],
    'an empty window': [claiming('10:40:00Z', '10:40:00Z'), at],
    'a window over a call without time': [claiming('10:30:00Z', '10:40:00Z', ['call_pods']), at],
  },
});

it('names a call that covers the window', () => {
  expect(findingsOf(window, claiming('10:00:00Z', '11:00:00Z'))[0]?.message).toContain(
    'call_metric covers it',
  );
});

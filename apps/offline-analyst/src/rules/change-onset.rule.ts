import type { LogPattern, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, mainChange, patternFinding, seriesFinding } from './findings';
import { changesOf, serviceOfEvent } from './topology';

const SOON_MS = 5 * 60_000;
const SLACK_MS = 10_000;
const LASTING_SHARE = 0.2;
const LINES_MIN = 5;

/** Errors of the service that set in after the change and last to the end of the data. */
const newErrors = (view: View, service: string, changedMs: number): LogPattern[] => {
  const { window } = view;
  const late = window === null ? 0 : window.toMs - LASTING_SHARE * (window.toMs - window.fromMs);
  return view.patterns.filter(
    (pattern) =>
      pattern.service === service &&
      ['ERROR', 'FATAL'].includes(pattern.level) &&
      pattern.count >= LINES_MIN &&
      pattern.firstMs >= changedMs - SLACK_MS &&
      pattern.firstMs <= changedMs + SOON_MS &&
      pattern.lastMs >= late,
  );
};

const newTrouble = (view: View, service: string, changedMs: number): Finding[] =>
  view.series
    .filter(
      (series) => series.service === service && /error|fail|duration|latency|restart/i.test(series.name),
    )
    .filter((series) => {
      const change = mainChange(series);
      return (
        change !== undefined &&
        change.after > 2 * change.before &&
        change.atMs >= changedMs - SLACK_MS &&
        change.atMs <= changedMs + SOON_MS
      );
    })
    .slice(0, 2)
    .map((series) => seriesFinding(view, series, 1));

/**
 * A service that fails since it was changed. In time they go together; the mechanism stays unknown, so that this never
 * becomes an identified root cause by itself.
 */
export const changeOnset: Rule = (view) =>
  changesOf(view, null).flatMap((event): Hypothesis[] => {
    const service = serviceOfEvent(view, event);
    const errors = newErrors(view, service, event.timeMs);
    if (errors.length === 0) return [];
    const isConfiguration = /config/i.test(event.reason);
    return [
      {
        cause: isConfiguration ? 'CONFIGURATION_CHANGE' : 'FAULTY_RELEASE',
        object: `Service/${service}`,
        service,
        rank: 'CAUSE',
        headline: `${service} fails since it was changed`,
        mechanism: `The errors of ${service} set in soon after the event ${event.reason}; that ${isConfiguration ? 'configuration change' : 'deployment'} probably caused them.`,
        findings: [
          eventFinding(view, event, 2),
          ...errors.slice(0, 2).map((pattern) => patternFinding(view, pattern, 1)),
          ...newTrouble(view, service, event.timeMs),
        ],
        actions: [
          `Undo the change of ${service}; if the errors cease, the change is to blame.`,
          'Compare what the change touched with what the error lines name.',
        ],
        recommendations: ['Roll changes out step by step, and stop by machine when errors rise.'],
        lookup: 'errors after deployment rollback',
      },
    ];
  });

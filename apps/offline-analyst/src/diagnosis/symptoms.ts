import type { Series, View } from '../evidence/view';
import { alertFinding, mainChange, seriesFinding } from '../rules/findings';
import type { Finding } from '../rules/finding';
import { isUrgent } from './rank';

const ERROR_RATE = /error|fail|5xx/i;
const PER_CENT_OF_RATIO = 0.02;
const ALERTS_MAX = 4;
const SERIES_MAX = 4;
const LATE_SHARE = 0.2;
const LINES_MIN = 5;

const isErrorRatio = ({ name, unit }: Series) =>
  ERROR_RATE.test(name) && (unit === 'ratio' || unit === '%' || /ratio|percent/i.test(name));

export const errorRatios = (view: View): Series[] => view.series.filter(isErrorRatio);

export const isRaised = (series: Series): boolean => {
  const floor = series.unit === '%' ? PER_CENT_OF_RATIO * 100 : PER_CENT_OF_RATIO;
  return (
    series.statistics.last > floor ||
    series.changes.some(({ after, before }) => after > Math.max(floor, 2 * before))
  );
};

const isLatency = ({ name }: Series) => /duration|latency/i.test(name) && /p9\d/i.test(name);

/** A lasting rise to at least twice the level before, and a level that people notice. */
const isSlower = (series: Series): boolean => {
  const change = mainChange(series);
  const notable = series.unit === 's' ? 0.2 : 200;
  return change !== undefined && change.after > 2 * change.before && change.after > notable;
};

/** What people notice: firing alerts, requests that fail, requests that take long. */
export const symptomFindings = (view: View): Finding[] => {
  const firing = view.alerts.filter((alert) => alert.endsAtMs === null && isUrgent(alert));
  const series = [
    ...errorRatios(view).filter(isRaised),
    ...view.series.filter((item) => isLatency(item) && isSlower(item)),
  ];
  return [
    ...firing.slice(0, ALERTS_MAX).map((alert) => alertFinding(view, alert, 1)),
    ...series.slice(0, SERIES_MAX).map((item) => seriesFinding(view, item, 1)),
  ];
};

/** Services that complain to the end of the data with errors, not just once. */
export const lateErrorPatterns = (view: View) => {
  const { window } = view;
  return view.patterns.filter(
    ({ level, count, lastMs }) =>
      (level === 'ERROR' || level === 'FATAL') &&
      count >= LINES_MIN &&
      (window === null || lastMs > window.toMs - LATE_SHARE * (window.toMs - window.fromMs)),
  );
};

/** Whether anything speaks of trouble that lasts: without it there is no fault to explain. */
export const hasTrouble = (view: View): boolean =>
  symptomFindings(view).length > 0 || lateErrorPatterns(view).length > 0;

import type { Alert, View } from '../evidence/view';
import { at, entity, factAt, quoteAt } from '../evidence/place';
import type { Finding, Sort } from './finding';
import { finding } from './findings';
import { clock, excerpt } from './wording';

/** What a firing alert measures, in the words that alerts of any system use for it. */
export type Measure = 'LATENCY' | 'CPU' | 'LOSS' | 'TRAFFIC' | 'ERRORS';

const MEASURES: readonly (readonly [Measure, RegExp])[] = [
  ['LOSS', /retransm|packet.?loss|dropped packets|packets? dropped/i],
  [
    'CPU',
    /cpu.{0,40}(?:throttl|satur|overload|high|usage|near)|(?:throttl|satur|overload|high)\w*.{0,40}cpu/i,
  ],
  ['LATENCY', /latency|slow|response.?time|duration/i],
  ['ERRORS', /error|success.?rate|5xx|fail/i],
  ['TRAFFIC', /throughput|traffic|\brps\b|request.?rate|network.?drop/i],
];

export type Anomaly = {
  alert: Alert;
  measure: Measure;
  /** The measured value that the text gives; null where it gives none. Of latency in ms. */
  level: number | null;
};

const VALUES = /(?:current|cur|now|value|val)\b\s*[:=]?\s*([\d.]+)\s*(ms|s\b)?/gi;

/** The greatest of the values: an alert may name several percentiles. */
const levelOf = (summary: string): number | null => {
  const values = [...summary.matchAll(VALUES)].map(
    ([, value, unit]) => Number(value) * (unit === 's' ? 1_000 : 1),
  );
  const known = values.filter((value) => Number.isFinite(value));
  return known.length === 0 ? null : Math.max(...known);
};

export const anomaliesOf = (view: View): Anomaly[] =>
  view.alerts.flatMap((alert) => {
    const text = `${alert.name} ${alert.summary}`;
    const measure = MEASURES.find(([, sign]) => sign.test(text))?.[0];
    if (measure === undefined || alert.endsAtMs !== null) return [];
    return [{ alert, measure, level: levelOf(alert.summary) }];
  });

/** The alert in its own words. */
export const anomalyFinding = (view: View, { alert }: Anomaly, sort: Sort, weight: number): Finding => {
  const { place, name, service, node, startsAtMs, summary } = alert;
  const shown = excerpt(summary);
  const quotes = quoteAt(view.documents, at(place, 'summary')).map((quote) => ({ ...quote, quote: shown }));
  const of = node === null ? (service === null ? '' : ` for ${service}`) : ` for node ${node}`;
  const said = quotes.length > 0 && shown.length >= 8 ? ` says “${shown}”` : ' fires';
  const since = `since ${clock(startsAtMs)}`;
  return finding({
    key: `anomaly:${name}:${service ?? node ?? ''}:${summary.slice(0, 80)}`,
    sort,
    text: `The alert ${name}${of}${said}, ${since}.`,
    facts: factAt(view.documents, at(place, 'startsAt')),
    quotes: shown.length >= 8 ? quotes : [],
    entities: [
      entity('alert', name, place),
      ...(service === null ? [] : [entity('service', service, place)]),
      ...(node === null ? [] : [entity('node', node, place)]),
    ],
    weight,
    fromMs: startsAtMs,
  });
};

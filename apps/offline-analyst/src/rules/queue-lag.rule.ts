import type { Series } from '../evidence/view';
import type { Rule } from './finding';
import { mainChange, patternFinding, seriesFinding } from './findings';

const LAG =
  /(?:^|_)(?:lag|backlog|queue_(?:depth|length|size)|num_pending|pending_messages|messages_(?:pending|ready|unacked)|unacked|redeliver\w*)(?:_|$)/i;
const COMPLAINT =
  /consumer.{0,40}(?:lag|slow|behind|stall)|ack.{0,20}(?:wait|time)|redeliver|max deliver|poison|rebalanc/i;
/** A backlog that people notice. */
const LEVEL_MIN = 100;

const grows = (series: Series): boolean => {
  const change = mainChange(series);
  const { last, first, p50 } = series.statistics;
  return (
    last >= LEVEL_MIN &&
    last > 2 * Math.max(first, 1) &&
    (last >= p50 || (change !== undefined && change.after > 2 * change.before))
  );
};

/** Messages come in faster than they are worked off. */
export const queueLag: Rule = (view) =>
  view.series
    .filter((series) => LAG.test(series.name) && !/pool/i.test(series.name) && grows(series))
    .map((series) => {
      const consumer =
        series.labels.consumer ??
        series.labels.group ??
        series.labels.consumer_group ??
        series.service ??
        series.name;
      const complaints = view.patterns.filter(
        ({ service, level, sample, pattern }) =>
          service === consumer && level !== 'INFO' && COMPLAINT.test(sample?.message ?? pattern),
      );
      return {
        cause: 'MESSAGE_QUEUE_LAG',
        object: `Service/${consumer}`,
        service: series.service,
        rank: 'CAUSE' as const,
        headline: `${consumer} falls behind its message queue`,
        mechanism: `The backlog of ${consumer} grows: messages arrive faster than they are worked off, so what depends on them comes late.`,
        findings: [
          seriesFinding(view, series, 3),
          ...complaints.slice(0, 2).map((pattern) => patternFinding(view, pattern, 3)),
        ],
        actions: [
          `Look at what ${consumer} does with a message: errors, time-outs, redeliveries of one that fails each time.`,
          `Scale ${consumer} out if it is healthy and simply too slow.`,
        ],
        recommendations: [
          'Alert on the age of the oldest message, and set aside messages that fail repeatedly.',
        ],
        lookup: 'message queue consumer lag backlog redelivery',
      };
    });

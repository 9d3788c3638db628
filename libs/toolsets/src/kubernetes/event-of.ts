import type { IncidentEvent, IncidentObject } from '../incident-format';
import { record, text } from './json-fields';

const countOf = (event: Record<string, unknown>): number => {
  const series = record(event['series'])['count'];
  const count = typeof series === 'number' ? series : event['count'];
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : 1;
};

/** The last time that it was seen: new events have `eventTime` and a series, old ones `lastTimestamp`. */
const timeOf = (event: Record<string, unknown>, metadata: IncidentObject['metadata']): string | undefined =>
  [
    record(event['series'])['lastObservedTime'],
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
    metadata.creationTimestamp,
  ]
    .map(text)
    .find((time) => time !== undefined && !Number.isNaN(Date.parse(time)));

/** An event of the core API; without any time it says nothing that could be placed, and is left out. */
export const eventOf = (event: IncidentObject): IncidentEvent[] => {
  const time = timeOf(event, event.metadata);
  const about = record(event['involvedObject']);
  if (time === undefined) return [];
  const namespace = text(about['namespace']);
  return [
    {
      time: new Date(Date.parse(time)).toISOString(),
      type: text(event['type']) ?? 'Normal',
      reason: text(event['reason']) ?? '',
      object: {
        kind: text(about['kind']) ?? '',
        name: text(about['name']) ?? '',
        ...(namespace === undefined ? {} : { namespace }),
      },
      message: text(event['message']) ?? '',
      count: countOf(event),
    },
  ];
};

/** Warnings before the many lines of ordinary life, newest first within each, so that a limit cuts the least telling. */
export const tellingFirst = (events: readonly IncidentEvent[]): IncidentEvent[] =>
  [...events].sort(
    (a, b) =>
      Number(a.type === 'Normal') - Number(b.type === 'Normal') || Date.parse(b.time) - Date.parse(a.time),
  );

export const eventsOf = (items: readonly IncidentObject[]): IncidentEvent[] => items.flatMap(eventOf);

import type { IncidentEvent } from '../incident-format';
import { ageMs, printedTable } from './printed-table';
import { kindOf } from './kinds';

/** `26s (x11 over 106s)`: last seen, how often. */
const seen = (text: string): { ms: number; count: number } | null => {
  const [, age = '', count = '1'] = /^(\S+)(?: \(x(\d+) over \S+\))?$/.exec(text.trim()) ?? [];
  const ms = ageMs(age);
  return ms === null ? null : { ms, count: Number(count) };
};

const eventOf = (
  fields: { age: string; type: string; reason: string; message: string },
  object: IncidentEvent['object'],
  atMs: number,
): IncidentEvent[] => {
  const when = seen(fields.age);
  if (when === null) return [];
  const { type, reason, message } = fields;
  const time = new Date(atMs - when.ms).toISOString();
  return [{ time, type, reason, object, message, count: when.count }];
};

/** `2m17s  Warning  FailedCreate  replicaset/x  message`, with or without a line of headings. */
const LISTED = /^(\S+)\s+(Normal|Warning)\s+(\S+)\s+([a-z]+)\/(\S+)\s+(.*)$/;

export const listedEvents = (text: string, namespace: string, atMs: number): IncidentEvent[] =>
  text.split('\n').flatMap((line) => {
    const [, age, type, reason, kind, name, message] = LISTED.exec(line) ?? [];
    if (age === undefined || kind === undefined || name === undefined) return [];
    const fields = { age, type: type ?? '', reason: reason ?? '', message: message ?? '' };
    return eventOf(fields, { kind: kindOf(kind), name, namespace }, atMs);
  });

/** The events at the end of a description. */
export const describedEvents = (
  text: string,
  object: IncidentEvent['object'],
  atMs: number,
): IncidentEvent[] => {
  const [, after = ''] = text.split(/\nEvents:/, 2);
  const lines = after.split('\n').filter((line) => line.trim() !== '' && !/^\s*-+(?:\s+-+)*\s*$/.test(line));
  if (!/^\s+Type\s+Reason/.test(lines[0] ?? '')) return [];
  return printedTable(lines.join('\n')).flatMap((row) =>
    eventOf(
      {
        age: row['Age'] ?? '',
        type: row['Type'] ?? '',
        reason: row['Reason'] ?? '',
        message: row['Message'] ?? '',
      },
      object,
      atMs,
    ),
  );
};

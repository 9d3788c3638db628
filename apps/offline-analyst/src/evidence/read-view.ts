import type { Conversation, ToolAnswer } from '../conversation/conversation';
import { fields, instantMs, list, text } from './fields';
import { at, type Place } from './place';
import { readDescription, readRow } from './read-objects';
import {
  readAlert,
  readDependency,
  readLogLine,
  readMetric,
  readPattern,
  readSeries,
  ungrouped,
} from './read-telemetry';
import type { KnowledgeDocument, LogLine, SystemEvent, SystemObject, View } from './view';
import { withoutGone } from './without-gone';

type Records = Omit<View, 'documents' | 'calls' | 'question' | 'window'>;

const EMPTY: Records = {
  alerts: [],
  dependencies: [],
  objects: [],
  events: [],
  logs: [],
  patterns: [],
  metrics: [],
  series: [],
  knowledge: [],
};

const rowsOf = <T>(document: unknown, root: Place, read: (row: unknown, place: Place) => T[]): T[] =>
  list(fields(document).rows).flatMap((row, index) => read(row, at(root, 'rows', index)));

const readObjects = (document: unknown, root: Place) => {
  const rows = rowsOf(document, root, (row, place) => [readRow(row, place)]);
  return { objects: rows.flatMap(({ objects }) => objects), events: rows.flatMap(({ events }) => events) };
};

const readLogs = (document: unknown, root: Place) => {
  const logs: LogLine[] = rowsOf(document, root, readLogLine);
  const holder = list(fields(fields(document).summary).patterns).length > 0 ? at(root, 'summary') : root;
  const groups = list(fields(fields(document).summary).patterns ?? fields(document).patterns);
  const patterns = groups.flatMap((group, index) => readPattern(group, at(holder, 'patterns', index), logs));
  return { logs, patterns: [...patterns, ...ungrouped(logs, patterns)] };
};

const readKnowledge = (document: unknown, root: Place): KnowledgeDocument[] =>
  list(fields(document).documents).flatMap((value, index) => {
    const { id, title, text: body } = fields(value);
    return typeof id === 'string' && typeof body === 'string'
      ? [{ place: at(root, 'documents', index), id, title: text(title) ?? id, text: body }]
      : [];
  });

const READERS: Record<string, (document: unknown, root: Place) => Partial<Records>> = {
  active_alerts: (document, root) => ({ alerts: rowsOf(document, root, readAlert) }),
  service_dependencies: (document, root) => ({ dependencies: rowsOf(document, root, readDependency) }),
  list_objects: readObjects,
  describe_object: (document, root) => readDescription(fields(document), root),
  search_logs: readLogs,
  list_metrics: (document, root) => ({ metrics: rowsOf(document, root, readMetric) }),
  query_metric: (document, root) => ({
    series: list(fields(document).series).flatMap((series, index) =>
      readSeries(series, at(root, 'series', index)),
    ),
  }),
  knowledge_lookup: (document, root) => ({ knowledge: readKnowledge(document, root) }),
};

const recordsOf = (answer: ToolAnswer): Records => {
  const read = READERS[answer.tool];
  const usable = answer.meta.status === 'READY' && answer.meta.evidenceStatus === 'EVIDENCE_FOUND';
  return {
    ...EMPTY,
    ...(usable ? read?.(answer.document, { toolCallId: answer.toolCallId, path: '' }) : {}),
  };
};

/** One record for each key, the best by `better`, in order of first appearance. */
const unique = <T>(
  records: readonly T[],
  keyOf: (record: T) => string,
  better: (a: T, b: T) => boolean = () => false,
): T[] => {
  const kept = new Map<string, T>();
  for (const record of records) {
    const key = keyOf(record);
    const present = kept.get(key);
    if (present === undefined || better(record, present)) kept.set(key, record);
  }
  return [...kept.values()];
};

const objectKey = ({ kind, namespace, name }: SystemObject) => `${kind}/${namespace ?? ''}/${name}`;
const eventKey = ({ timeMs, reason, object, message }: SystemEvent) =>
  `${timeMs}|${reason}|${object.name}|${message}`;
const labelsKey = (labels: Record<string, string>) => JSON.stringify(Object.entries(labels).sort());

/** Each object once, as it was read best, with its other places. */
const objectsOf = (records: readonly SystemObject[]): SystemObject[] =>
  unique(records, objectKey, (a, b) => a.described && !b.described).map((object) => ({
    ...object,
    alsoAt: records
      .filter((other) => other !== object && objectKey(other) === objectKey(object))
      .map(({ place }) => place),
  }));

/** The window that was asked about, or else all that the calls have seen: a source ends somewhere. */
const windowOf = ({ question, answers }: Conversation): View['window'] => {
  const windows = question.window ? [question.window] : answers.flatMap(({ meta }) => meta.window ?? []);
  const from = windows.flatMap((window) => instantMs(window.from) ?? []);
  const to = windows.flatMap((window) => instantMs(window.to) ?? []);
  return from.length === 0 || to.length === 0 ? null : { fromMs: Math.min(...from), toMs: Math.max(...to) };
};

export const readView = (conversation: Conversation): View => {
  const { question, answers } = conversation;
  const records = answers.map(recordsOf);
  const all = <Key extends keyof Records>(key: Key) =>
    records.flatMap((record) => record[key] as unknown[]) as Records[Key];
  const objects = objectsOf(all('objects'));
  return {
    documents: new Map(answers.map(({ toolCallId, document }) => [toolCallId, document])),
    calls: answers.map(({ toolCallId, tool, args, meta }) => ({ toolCallId, tool, args, meta })),
    alerts: unique(
      all('alerts'),
      ({ name, service, node, startsAtMs, summary }) => `${name}|${service}|${node}|${startsAtMs}|${summary}`,
    ),
    dependencies: unique(all('dependencies'), ({ from: source, to: target }) => `${source}>${target}`),
    objects,
    events: withoutGone(unique(all('events'), eventKey), objects, answers),
    logs: unique(all('logs'), ({ timeMs, service, message }) => `${timeMs}|${service}|${message}`),
    patterns: unique(
      all('patterns'),
      ({ service, level, pattern }) => `${service}|${level}|${pattern}`,
      (a, b) => a.count > b.count || (a.count === b.count && a.sample !== null && b.sample === null),
    ),
    metrics: unique(all('metrics'), ({ name, labels }) => `${name}|${labelsKey(labels)}`),
    series: unique(all('series'), ({ name, labels }) => `${name}|${labelsKey(labels)}`),
    knowledge: all('knowledge'),
    question: question.question,
    window: windowOf(conversation),
  };
};

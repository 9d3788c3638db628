import type { Json } from '@inquest/contracts/canonical-json';
import type { Window } from '@inquest/contracts/scope';
import { z } from 'zod';
import { FromArgument, filterText, limitArgument, scopeOf, spanOf } from '../incident/incident-tool';
import type { IncidentObject, LogLine } from '../incident-format';
import { logPatterns } from '../log-patterns';
import { shownLines } from '../shown-lines';
import type { JsonObject, RawResult, ReadOnlyTool } from '../tool';
import type { ClusterScope } from './cluster-scope';
import { clusterTool, NameArgument, NamespaceArgument, oneObject } from './cluster-tool';
import { list, record, text } from './json-fields';
import { isBadRequest } from './kubernetes-failure';
import { logLinesOf } from './log-lines';
import { pathOf, resourceNamed } from './resources';

const LINES = { max: 5_000, usual: 1_000 } as const;
const ROWS = { max: 200, usual: 40 } as const;
const BYTES_MAX = 1024 * 1024;
const POD = resourceNamed('Pod');

const containersOf = (pod: IncidentObject): string[] =>
  ['containers', 'initContainers'].flatMap((key) =>
    list(record(pod.spec)[key]).flatMap((container) => text(record(container)['name']) ?? []),
  );

/** The one that `kubectl logs` takes as well. */
const usualContainer = (pod: IncidentObject): string | undefined => {
  const annotations = record((pod.metadata as JsonObject)['annotations']);
  return text(annotations['kubectl.kubernetes.io/default-container']) ?? containersOf(pod)[0];
};

type Log = { lines: LogLine[]; isCut: boolean; answer?: 'NO_PREVIOUS_RUN' | 'NOT_STARTED' };

/** Two refusals of the API are answers: there was no run before, or none has begun yet. */
const answerOf = (error: unknown): Log | undefined => {
  if (!isBadRequest(error) || !(error instanceof Error)) return undefined;
  if (/previous terminated container .* not found/.test(error.message))
    return { lines: [], isCut: false, answer: 'NO_PREVIOUS_RUN' };
  return /is waiting to start|ContainerCreating|PodInitializing/.test(error.message)
    ? { lines: [], isCut: false, answer: 'NOT_STARTED' }
    : undefined;
};

const readLog = async (
  { api }: ClusterScope,
  pod: IncidentObject,
  { container, ...query }: { container: string; previous?: boolean; sinceTime?: string; tailLines: number },
  signal: AbortSignal,
): Promise<Log> => {
  const { name, namespace } = pod.metadata;
  const path = pathOf(POD, { namespace, name, subresource: 'log' });
  try {
    const asked = { ...query, container, timestamps: true, limitBytes: BYTES_MAX };
    const read = await api.getText(path, asked, BYTES_MAX, signal);
    // The server cuts at the same bound and does not say so.
    const isCut = read.isCut || Buffer.byteLength(read.text) >= BYTES_MAX;
    return { lines: logLinesOf(read.text, { service: container, pod: name, isCut }), isCut };
  } catch (error) {
    const answer = answerOf(error);
    if (answer) return answer;
    throw error;
  }
};

/**
 * What was really read: from the first line, since what is older may have been rotated away or lies before the tail; to the
 * last one where the text was cut. A log without a line says that there was none since the instant that was asked from.
 */
const windowOf = ({ lines, isCut }: Log, from: string | undefined, asOf: string): Window | null => {
  const [first, last] = [lines[0]?.time, lines.at(-1)?.time];
  const start = first ?? from;
  // The end is exclusive, and the last line belongs to it.
  const ends = [isCut ? NaN : Date.parse(asOf), last === undefined ? NaN : Date.parse(last) + 1];
  const end = Math.max(...ends.filter((at) => !Number.isNaN(at)));
  if (start === undefined || Date.parse(start) >= end) return null;
  return { from: start, to: new Date(end).toISOString() };
};

const summaryOf = (lines: readonly LogLine[], more: JsonObject): JsonObject => {
  const { patterns, others } = logPatterns(lines);
  const byLevel = new Map<string, number>();
  for (const { level } of lines) byLevel.set(level, (byLevel.get(level) ?? 0) + 1);
  return {
    ...more,
    ...(lines.length === 0
      ? {}
      : {
          byLevel: Object.fromEntries(byLevel),
          patterns: patterns.map(({ service: _, ...pattern }) => pattern as Json),
          otherPatternLines: others,
        }),
  };
};

const nothing = (
  scope: RawResult['scope'],
): Omit<Extract<RawResult, { kind: 'ROWS' }>, 'selectorKnown' | 'suggestions' | 'permissionFiltered'> => ({
  kind: 'ROWS',
  matched: 0,
  rows: [],
  scope,
  window: null,
  dataSpan: null,
  limitHit: false,
  sampled: false,
  partial: false,
  untrustedPaths: [],
});

const parameters = z.strictObject({
  pod: NameArgument.describe('Exact name of the pod; list_objects shows them.'),
  namespace: NamespaceArgument.optional(),
  container: NameArgument.describe('Exact name of the container (default: the main one).').optional(),
  previous: z
    .boolean()
    .describe('The run before the last restart: why a crashing container ended (default false).')
    .optional(),
  contains: z
    .string()
    .min(1)
    .max(200)
    .describe('Text in the message, compared without regard to case.')
    .optional(),
  from: FromArgument.optional(),
  tail_lines: z
    .number()
    .int()
    .min(1)
    .max(LINES.max)
    .describe(`Reads at most this many of the last lines (1 to ${LINES.max}, default ${LINES.usual}).`)
    .optional(),
  limit: limitArgument(ROWS.max, ROWS.usual).optional(),
});

type Arguments = z.output<typeof parameters>;

const foundLines = (
  log: Log,
  args: Arguments,
  { container, all }: { container: string; all: string[] },
  redactor: Parameters<typeof shownLines>[2],
) => {
  const wanted = args.contains?.toLowerCase();
  const matching = log.lines.filter(
    ({ message }) => wanted === undefined || message.toLowerCase().includes(wanted),
  );
  const lines = shownLines(matching, args.contains, redactor);
  const others = all.filter((name) => name !== container);
  const summary = summaryOf(lines, {
    container,
    linesRead: log.lines.length,
    ...(others.length > 0 ? { otherContainers: others } : {}),
    ...(log.answer === undefined ? {} : { answer: log.answer }),
  });
  return { lines, summary };
};

export const podLogs = (scope: ClusterScope): ReadOnlyTool =>
  clusterTool(
    {
      name: 'kubernetes_logs',
      description:
        'Reads the log of one container of a pod, newest rows first, with a summary of the most frequent message patterns (count, first and last time, example). ' +
        'With previous it reads the run before the last restart, where a crash leaves its reason. Narrow with contains and from, reach further back with tail_lines.',
      parameters,
    },
    async (args, { signal, asOf, redactor }) => {
      const { pod: name, namespace, previous, contains, from } = args;
      const filter = filterText({
        pod: name,
        container: args.container,
        contains,
        previous: previous ? 'true' : undefined,
      });
      const asked = scopeOf({ namespace, filter });
      const { object, standing } = await oneObject(scope, POD, { namespace, name }, signal);
      if (object === null) return { ...nothing(asked), ...standing };
      const all = containersOf(object);
      const container = args.container ?? usualContainer(object);
      if (container === undefined || !all.includes(container))
        return { ...nothing(asked), ...standing, selectorKnown: false, suggestions: all };

      const tailLines = args.tail_lines ?? LINES.usual;
      const query = { container, previous: previous ? true : undefined, sinceTime: from, tailLines };
      const log = await readLog(scope, object, query, signal);
      const isTail = log.lines.length >= tailLines;
      const { lines, summary } = foundLines(log, args, { container, all }, redactor);
      const limit = args.limit ?? ROWS.usual;
      return {
        kind: 'ROWS',
        matched: isTail || log.isCut ? null : lines.length,
        rows: [...lines]
          .reverse()
          .slice(0, limit)
          .map(({ time, level, message }) => ({ time, level, message })),
        summary,
        scope: scopeOf({ namespace: object.metadata.namespace, filter }),
        window: windowOf(log, from, asOf),
        dataSpan: spanOf(lines.map(({ time }) => time)),
        limitHit: isTail || log.isCut || lines.length > limit,
        sampled: false,
        partial: false,
        ...standing,
        untrustedPaths: ['/rows/*/message', '/summary/patterns/*/pattern', '/summary/patterns/*/example'],
      };
    },
  );

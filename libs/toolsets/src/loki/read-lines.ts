import type { Window } from '@inquest/contracts/scope';
import { LOG_LEVELS, type LogLevel, type LogLine } from '../incident-format';
import { SourceFailure, type Page } from '../incident-source';
import { levelOfLine, levelOfWord } from '../log-level';
import { suggestNames } from '../suggest-names';
import type { LokiContext } from './loki-context';
import type { Entry } from './loki-api';
import { logQlOf, type LogFilter } from './logql';

const NANOS_PER_MS = 1_000_000n;

/** The first label of these that a stream bears, as the configuration ranks them. */
const valueOf = (labels: Entry['labels'], names: readonly string[]): string | undefined =>
  names.map((name) => (Object.hasOwn(labels, name) ? labels[name] : undefined)).find(Boolean);

const NAME_CHARS_MAX = 253;

export const lineOf = ({ labels, nanos, line }: Entry, { config }: LokiContext): LogLine => {
  const named = config.levelLabel === undefined ? undefined : valueOf(labels, [config.levelLabel]);
  const pod = valueOf(labels, ['pod', 'pod_name', 'k8s_pod_name', 'instance']);
  return {
    time: new Date(Number(nanos / NANOS_PER_MS)).toISOString(),
    service: (valueOf(labels, config.serviceLabels) ?? 'unknown').slice(0, NAME_CHARS_MAX),
    ...(pod === undefined ? {} : { pod }),
    // One definition for what is asked of the server and what is made of its answer.
    level: config.levelLabel === undefined ? levelOfLine(line) : (levelOfWord(named) ?? 'INFO'),
    message: line,
  };
};

const isAtLeast = (level: LogLevel, least: LogLevel | undefined): boolean =>
  least === undefined || LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);

/** Either the labels that a selector needs, or the names near to one that no stream bears. */
export type Selection =
  | { kind: 'SELECTED'; filter: Pick<LogFilter, 'equal' | 'anyOf'> }
  | { kind: 'UNKNOWN'; suggestions: string[] };

/**
 * Labels that ask for another value than the configuration's matchers allow: such streams are neither read nor told, and
 * no other streams are read in their place.
 */
export const outOfBounds = (
  labels: Readonly<Record<string, string>>,
  matchers: Readonly<Record<string, string>>,
): string[] =>
  Object.keys(labels).filter((name) => Object.hasOwn(matchers, name) && matchers[name] !== labels[name]);

/** Where the streams of a service are: the first configured label that knows it. */
export const selectionOf = async (
  { known, config }: LokiContext,
  { service, labels = {} }: { service?: string; labels?: Readonly<Record<string, string>> },
  window: Window,
  signal: AbortSignal,
): Promise<Selection> => {
  const { matchers } = config;
  if (outOfBounds(labels, matchers).length > 0) return { kind: 'UNKNOWN', suggestions: [] };
  const equal = { ...labels, ...matchers };
  const names = await known.labels(window, signal);
  if (names.length === 0) throw new SourceFailure('SOURCE_FAILED', 'Loki holds no stream in this time');
  const strange = Object.keys(labels).filter((name) => !names.includes(name));
  if (strange.length > 0)
    return { kind: 'UNKNOWN', suggestions: strange.flatMap((name) => suggestNames(name, names)) };
  const serving = config.serviceLabels.filter((name) => names.includes(name));
  if (service === undefined) {
    if (Object.keys(equal).length > 0) return { kind: 'SELECTED', filter: { equal } };
    return { kind: 'SELECTED', filter: { equal, anyOf: [serving[0] ?? ([...names].sort()[0] as string)] } };
  }
  const seen: string[] = [];
  for (const name of serving) {
    if (outOfBounds({ [name]: service }, equal).length > 0) continue;
    const values = await known.values(name, window, signal);
    if (values.includes(service))
      return { kind: 'SELECTED', filter: { equal: { ...equal, [name]: service } } };
    seen.push(...values);
  }
  return { kind: 'UNKNOWN', suggestions: suggestNames(service, seen) };
};

export type LineQuery = {
  service?: string;
  labels?: Readonly<Record<string, string>>;
  level?: LogLevel;
  contains?: readonly string[];
  without?: readonly string[];
  window: Window;
  order: 'oldest' | 'newest';
};

const empty: Page<LogLine> = {
  items: [],
  matched: 0,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: false,
  suggestions: [],
};

/** A label whose value no stream bears: only asked where nothing was found, since what was found is known. */
const unknownValues = async (
  { known }: LokiContext,
  labels: Readonly<Record<string, string>>,
  window: Window,
  signal: AbortSignal,
): Promise<{ isKnown: boolean; suggestions: string[] }> => {
  const values = await Promise.all(
    Object.entries(labels).map(async ([name, value]) => ({
      value,
      all: await known.values(name, window, signal),
    })),
  );
  const strange = values.filter(({ value, all }) => !all.includes(value));
  return {
    isKnown: strange.length === 0,
    suggestions: strange.flatMap(({ value, all }) => suggestNames(value, all)),
  };
};

/** Lines of one search, up to the configured bound, from the end that was asked for. */
export const readLines = async (
  context: LokiContext,
  { service, labels = {}, level, contains, without, window, order }: LineQuery,
  signal: AbortSignal,
): Promise<Page<LogLine>> => {
  const { api, config } = context;
  const selection = await selectionOf(context, { service, labels }, window, signal);
  if (selection.kind === 'UNKNOWN') return { ...empty, suggestions: selection.suggestions };
  const query = logQlOf({
    ...selection.filter,
    contains,
    without,
    ...(level === undefined ? {} : { level: { least: level, label: config.levelLabel } }),
  });
  const direction = order === 'oldest' ? 'forward' : 'backward';
  const entries = await api.queryRange(query, window, { limit: config.linesMax, direction }, signal);
  const isCut = entries.length >= config.linesMax;
  const items = entries.map((entry) => lineOf(entry, context)).filter((line) => isAtLeast(line.level, level));
  const names = Object.keys(labels).length > 0 || service !== undefined;
  const standing =
    entries.length === 0
      ? await unknownValues(context, labels, window, signal)
      : { isKnown: true, suggestions: [] };
  return {
    ...empty,
    items,
    matched: isCut ? null : items.length,
    limitHit: isCut,
    selectorKnown: names ? standing.isKnown : null,
    suggestions: standing.suggestions,
  };
};

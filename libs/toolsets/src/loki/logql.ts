import { LOG_LEVELS, type LogLevel } from '../incident-format';

/** What a search is restricted to; every part is a value, and none of them is a piece of the query language. */
export type LogFilter = {
  /** Labels and their exact values. */
  equal: Readonly<Record<string, string>>;
  /** Labels that a stream must have, with any value. */
  anyOf?: readonly string[];
  /** Texts that a line holds, compared without regard to case; all of them. */
  contains?: readonly string[];
  /** Texts that it does not hold. */
  without?: readonly string[];
  /** This level or a graver one, by the label that holds it, or by the words of the line. */
  level?: { least: LogLevel; label: string | undefined };
};

const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** A string of the language in double quotes: they are Go's, whose escapes JSON's are a part of. */
export const quoted = (text: string): string => JSON.stringify(text.toWellFormed());

/** Stands for itself in a regular expression of RE2. */
export const literal = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');

const labelName = (name: string): string => {
  if (!LABEL.test(name)) throw new Error('no name of a label');
  return name;
};

const WORDS: Readonly<Record<LogLevel, readonly string[]>> = {
  DEBUG: ['trace', 'debug'],
  INFO: ['info', 'information', 'notice'],
  WARN: ['warn', 'warning'],
  ERROR: ['error', 'err', 'severe'],
  FATAL: ['fatal', 'critical', 'crit', 'panic', 'alert', 'emerg', 'emergency'],
};
/** The letter in front of a line of klog. */
const LETTERS: Readonly<Record<LogLevel, string>> = {
  DEBUG: '',
  INFO: 'I',
  WARN: 'W',
  ERROR: 'E',
  FATAL: 'F',
};

const fromLevel = (least: LogLevel): LogLevel[] => LOG_LEVELS.slice(LOG_LEVELS.indexOf(least));

/**
 * Every line whose own words can make it of this level, and others too: the caller looks at each. A line without any
 * level counts as INFO, so that below WARN nothing can be asked of the server.
 */
const wordsFilter = (least: LogLevel): string => {
  const levels = fromLevel(least);
  if (levels.includes('INFO')) return '';
  const words = levels.flatMap((level) => WORDS[level]).join('|');
  const letters = levels.map((level) => LETTERS[level]).join('');
  return ` |~ ${quoted(`(?i)\\b(?:${words})\\b|^(?-i:[${letters}])[0-9]{4} `)}`;
};

const levelFilter = ({ least, label }: NonNullable<LogFilter['level']>): string => {
  if (label === undefined) return wordsFilter(least);
  const words = fromLevel(least).flatMap((level) => WORDS[level]);
  return ` | ${labelName(label)}=~${quoted(`(?i)(?:${words.join('|')})`)}`;
};

export const selectorOf = ({ equal, anyOf = [] }: Pick<LogFilter, 'equal' | 'anyOf'>): string => {
  const matchers = [
    ...Object.entries(equal).map(([name, value]) => `${labelName(name)}=${quoted(value)}`),
    ...anyOf.map((name) => `${labelName(name)}=~".+"`),
  ];
  return `{${matchers.join(', ')}}`;
};

/** A query that reads lines, in the order selector, texts, level. It can do nothing but read: the language cannot. */
export const logQlOf = (filter: LogFilter): string => {
  const texts = [
    ...(filter.contains ?? []).map((text) => ` |~ ${quoted(`(?i)${literal(text)}`)}`),
    ...(filter.without ?? []).map((text) => ` !~ ${quoted(`(?i)${literal(text)}`)}`),
  ];
  return `${selectorOf(filter)}${texts.join('')}${filter.level ? levelFilter(filter.level) : ''}`;
};

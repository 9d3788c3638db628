import type { LogLevel } from './incident-format';

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  information: 'INFO',
  notice: 'INFO',
  log: 'INFO',
  warn: 'WARN',
  warning: 'WARN',
  error: 'ERROR',
  err: 'ERROR',
  severe: 'ERROR',
  fatal: 'FATAL',
  critical: 'FATAL',
  crit: 'FATAL',
  panic: 'FATAL',
  alert: 'FATAL',
  emerg: 'FATAL',
  emergency: 'FATAL',
};

/** The level that a word means; undefined where it means none. */
export const levelOfWord = (word: string | undefined): LogLevel | undefined =>
  word !== undefined && Object.hasOwn(LEVELS, word.toLowerCase()) ? LEVELS[word.toLowerCase()] : undefined;

const HEAD_CHARS = 400;
const WORDS = Object.keys(LEVELS)
  .filter((word) => word !== 'log')
  .join('|');
/** `"level":"error"`, `level=error`, `severity: ERROR` */
const NAMED = new RegExp(
  String.raw`["']?\b(?:level|lvl|severity|log\.level)["']?\s*[:=]\s*["']?(${WORDS})\b`,
  'i',
);
/** klog and glog: `E0501 10:00:00.000000` */
const KLOG = /^([IWEF])\d{4} \d\d:\d\d:\d\d/;
const KLOG_LEVELS: Readonly<Record<string, LogLevel>> = { I: 'INFO', W: 'WARN', E: 'ERROR', F: 'FATAL' };
/** A level as a word of its own near the start, in capitals or set apart: `ERROR`, `[warn]`, `<error>`. */
const CAPITAL = new RegExp(String.raw`(?:^|[\s[(<|:])(${WORDS.toUpperCase()})(?=$|[\s\])>|:,-])`);
const BRACKETED = new RegExp(String.raw`[[(<](${WORDS})[\])>]`, 'i');
const CAPITAL_WITHIN = 120;

/** The level that a line itself names; INFO where it names none, as nothing says that it is worse. */
export const levelOfLine = (line: string): LogLevel => {
  const head = line.slice(0, HEAD_CHARS);
  const klog = KLOG.exec(head)?.[1];
  if (klog !== undefined) return KLOG_LEVELS[klog] ?? 'INFO';
  const start = head.slice(0, CAPITAL_WITHIN);
  const word = [NAMED.exec(head), CAPITAL.exec(start), BRACKETED.exec(start)].find(
    (match) => match !== null,
  )?.[1];
  return levelOfWord(word) ?? 'INFO';
};

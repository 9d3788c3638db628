import { clockTime, localMsOf, offsetOf, takeClockTimes, type ClockTime } from './clock-times';

/** Every written time of evidence has this core; what stands around it says whether it has a date and an offset. */
const CORE = /([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d|60)(?:[.,]\d{1,9})?)?/g;
const DATE_BEFORE = /(\d{4}-\d\d-\d\d)[T ]$/;
const MAIL_DATE_BEFORE = /(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\d{4}),? $/;
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const OFFSET_BEHIND = /^\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\w:])/;
const HALF_BEHIND = /^\s?([ap])\.?m\.?(?!\w)/i;
/** Forms without a colon, which the quick way does not know: `14点05分`, `14 Uhr`, `9 am`. */
const OTHER_FORMS = /\d[点时]|\d Uhr|(?<![:\d])\d{1,2}\s?[ap]\.?m\.?(?!\w)/i;

const DOT = 46;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isDigitOrColon = (code: number): boolean => code >= 48 && code <= 58;

const dateBefore = (text: string, at: number): string | null => {
  const head = text.slice(Math.max(0, at - 14), at);
  const iso = DATE_BEFORE.exec(head)?.[1];
  if (iso !== undefined) return iso;
  const mail = MAIL_DATE_BEFORE.exec(head);
  if (!mail) return null;
  const month = MONTHS.indexOf(mail[2] ?? '') / 3 + 1;
  return `${mail[3]}-${String(month).padStart(2, '0')}-${(mail[1] ?? '').padStart(2, '0')}`;
};

const timeAt = (text: string, match: RegExpExecArray): ClockTime | null => {
  const [raw, hours = '', minutes = '', seconds] = match;
  const end = match.index + raw.length;
  const before = text.charCodeAt(match.index - 1);
  // The middle of a longer run of digits and colons, such as an IPv6 or a hardware address, is no time.
  if (isDigitOrColon(before) || before === DOT || isDigitOrColon(text.charCodeAt(end))) return null;
  if (text.charCodeAt(end) === DOT && isDigit(text.charCodeAt(end + 1))) return null;
  const tail = text.slice(end, end + 8);
  const half = HALF_BEHIND.exec(tail)?.[1]?.toLowerCase();
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'p' ? 12 : 0);
  const secondsOfDay = hour * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
  const date = dateBefore(text, match.index);
  const offsetText = OFFSET_BEHIND.exec(tail);
  const offset = offsetOf(offsetText?.[1]);
  // An offset is no time of its own.
  if (offsetText) CORE.lastIndex = end + offsetText[0].length;
  const written = { secondsOfDay: secondsOfDay % 86_400, toTheSecond: seconds !== undefined };
  return clockTime(raw, written, date === null ? null : localMsOf(date, secondsOfDay), offset);
};

const TIMES_MAX = 50_000;

/**
 * The times that a text of the ledger holds, in one pass over its colons: outputs are large and mostly free of times. Equal
 * in result to {@link takeClockTimes} for what machines write; other forms are left to it.
 */
export const evidenceTimes = (text: string): ClockTime[] => {
  const times: ClockTime[] = [];
  CORE.lastIndex = 0;
  for (let match = CORE.exec(text); match && times.length < TIMES_MAX; match = CORE.exec(text)) {
    const time = timeAt(text, match);
    if (time) times.push(time);
  }
  if (OTHER_FORMS.test(text))
    takeClockTimes(text, (time) => void (time.epochMs === null && times.push(time)));
  return times;
};

/** A time of day, or an instant where date and offset stand beside it. */
export type ClockTime = {
  raw: string;
  /** Seconds since midnight, as written. */
  secondsOfDay: number;
  /** Whether seconds were written; else the minute is all that is claimed. */
  toTheSecond: boolean;
  /** Seconds ahead of UTC as written beside it; null where no offset is written. */
  offsetSeconds: number | null;
  /** The written date and time as if they were UTC, in ms; null without a date. */
  localMs: number | null;
  /** ms since the epoch, when date and offset are known. */
  epochMs: number | null;
};

type Found = (time: ClockTime) => void;

const DAY_SECONDS = 86_400;

const secondsOf = (h: string | undefined, m: string | undefined, s: string | undefined): number =>
  Number(h) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);

/** `Z`, `UTC`, `GMT`, `+02:00`, `+0200`; null for anything else. */
export const offsetOf = (written: string | undefined): number | null => {
  if (written === undefined) return null;
  if (/^(?:Z|UTC|GMT)$/i.test(written)) return 0;
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(written);
  return match ? (match[1] === '-' ? -1 : 1) * secondsOf(match[2], match[3], undefined) : null;
};

/** Date and time as if written in UTC; null for a day or an hour that no calendar has. */
export const localMsOf = (date: string, secondsOfDay: number): number | null => {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(midnight) || secondsOfDay > DAY_SECONDS ? null : midnight + secondsOfDay * 1000;
};

export const clockTime = (
  raw: string,
  { secondsOfDay, toTheSecond }: Pick<ClockTime, 'secondsOfDay' | 'toTheSecond'>,
  localMs: number | null,
  offsetSeconds: number | null,
): ClockTime => ({
  raw,
  secondsOfDay,
  toTheSecond,
  offsetSeconds,
  localMs,
  epochMs: localMs === null || offsetSeconds === null ? null : localMs - offsetSeconds * 1000,
});

const INSTANT =
  /(?<![\w.])(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:\s?(Z|UTC|[+-]\d\d:?\d\d)(?!\w))?/g;

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const monthNumber = (name: string): string => String(MONTHS.indexOf(name.slice(0, 3)) + 1).padStart(2, '0');

/** `29 Nov 2025 20:49:26 +0800`, as HTTP and kubectl write it. */
const MAIL_INSTANT = new RegExp(
  `(?<!\\w)(\\d{1,2}) (${MONTHS.join('|')}) (\\d{4}),? (\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,]\\d{1,9})?)?(?:\\s?(Z|UTC|GMT|[+-]\\d\\d:?\\d\\d)(?!\\w))?`,
  'g',
);

const takeInstants = (text: string, found: Found): string => {
  const take = (raw: string, date: string, h: string, m: string, s?: string, offset?: string): string => {
    const secondsOfDay = secondsOf(h, m, s);
    found(
      clockTime(
        raw,
        { secondsOfDay, toTheSecond: s !== undefined },
        localMsOf(date, secondsOfDay),
        offsetOf(offset),
      ),
    );
    return ' ';
  };
  return text
    .replace(INSTANT, take)
    .replace(
      MAIL_INSTANT,
      (raw: string, d: string, mo: string, y: string, h: string, m: string, s?: string, offset?: string) =>
        take(raw, `${y}-${monthNumber(mo)}-${d.padStart(2, '0')}`, h, m, s, offset),
    );
};

const MONTH =
  '(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Okt(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Dez(?:ember)?)';
const DATES = [
  /(?<![\w.])\d{4}[-/]\d\d[-/]\d\d(?!\w)/g,
  /(?<![\w.])\d{1,2}\.\d{1,2}\.\d{4}(?!\w)/g,
  /(?<![\w.])\d{1,2}\/\d{1,2}\/\d{4}(?!\w)/g,
  /(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|\d{4}年\d{1,2}月/g,
  new RegExp(`(?<!\\w)\\d{1,2}(?:st|nd|rd|th|\\.)? ${MONTH}\\.?(?:,? \\d{4})?(?!\\w)`, 'g'),
  new RegExp(`(?<!\\w)${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?(?!\\w)`, 'g'),
];

const TWELVE_HOURS =
  /(?<![\w.:])(\d{1,2})(?::(\d\d)(?::(\d\d))?)?\s?([ap])\.?m\.?(?!\w)(?:\s?(Z|UTC|GMT)(?!\w))?/gi;
const TWENTY_FOUR_HOURS =
  /(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?:\s?(Z|UTC|GMT)|([+-]\d\d:?\d\d))?(?!\w|:\d)/g;
const CJK_HOURS = /(上午|下午|晚上|凌晨|早上|中午)?\s?(\d{1,2})[点时](?!间)(?:(\d{1,2})分)?(?:(\d{1,2})秒)?/g;
const GERMAN_HOURS = /(?<![\w.:])(\d{1,2}) Uhr(?: (\d\d))?(?!\w)/g;

/**
 * Takes instants and times of day out of a text and blanks plain dates, whose day and year are not figures of a claim.
 * A `3:1` is a ratio, not a time: the minutes have two digits.
 */
export const takeClockTimes = (text: string, found: Found): string => {
  if (!/\d/.test(text)) return text;
  type Written = { h: string | undefined; m?: string | undefined; s?: string | undefined };
  const clock = (raw: string, { h, m, s }: Written, half: 'am' | 'pm' | null, offset?: string): string => {
    const hour = half === null ? Number(h) : (Number(h) % 12) + (half === 'pm' ? 12 : 0);
    if (hour > 24) return raw;
    const secondsOfDay = secondsOf(String(hour), m, s) % DAY_SECONDS;
    found(clockTime(raw, { secondsOfDay, toTheSecond: s !== undefined }, null, offsetOf(offset)));
    return ' ';
  };
  let rest = takeInstants(text, found);
  for (const date of DATES) rest = rest.replace(date, ' ');
  return rest
    .replace(
      TWELVE_HOURS,
      (raw: string, h: string, m?: string, s?: string, half?: string, offset?: string) =>
        Number(h) > 12 ? raw : clock(raw, { h, m, s }, half?.toLowerCase() === 'p' ? 'pm' : 'am', offset),
    )
    .replace(
      TWENTY_FOUR_HOURS,
      (raw: string, h: string, m?: string, s?: string, utc?: string, offset?: string) =>
        clock(raw, { h, m, s }, null, utc ?? offset),
    )
    .replace(CJK_HOURS, (raw: string, half?: string, h?: string, m?: string, s?: string) => {
      const afternoon = half === '下午' || half === '晚上';
      return clock(raw, { h, m, s }, afternoon && Number(h) < 12 ? 'pm' : null);
    })
    .replace(GERMAN_HOURS, (raw: string, h: string, m?: string) => clock(raw, { h, m }, null));
};

/** Whether two times may be one: to the second where both say it, else to the minute. */
export const isSameTime = (a: ClockTime, b: ClockTime): boolean => {
  const grain = a.toTheSecond && b.toTheSecond ? 1 : 60;
  return Math.floor(a.secondsOfDay / grain) === Math.floor(b.secondsOfDay / grain);
};

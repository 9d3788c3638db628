/** A time of day, or an instant where date and offset stand beside it. */
export type ClockTime = {
  raw: string;
  /** Seconds since midnight, as written. */
  secondsOfDay: number;
  /** Whether seconds were written; else the minute is all that is claimed. */
  toTheSecond: boolean;
  /** ms since the epoch, when date and offset are known. */
  epochMs: number | null;
  /** Written as UTC: not to be read in the run's zone. */
  isUtc: boolean;
};

type Found = (time: ClockTime) => void;

const secondsOf = (h: string | undefined, m: string | undefined, s: string | undefined): number =>
  Number(h) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0);

const INSTANT =
  /(?<![\w.])(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:\s?(Z|UTC|[+-]\d\d:?\d\d)(?!\w))?/g;

const takeInstants = (text: string, found: Found): string =>
  text.replace(
    INSTANT,
    (raw: string, y: string, mo: string, d: string, h: string, m: string, s?: string, offset?: string) => {
      const zone = offset === 'UTC' ? 'Z' : offset?.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
      const epochMs = zone === undefined ? NaN : Date.parse(`${y}-${mo}-${d}T${h}:${m}:${s ?? '00'}${zone}`);
      found({
        raw,
        secondsOfDay: secondsOf(h, m, s),
        toTheSecond: s !== undefined,
        epochMs: Number.isNaN(epochMs) ? null : epochMs,
        isUtc: zone === 'Z',
      });
      return ' ';
    },
  );

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

const TWELVE_HOURS = /(?<![\w.:])(\d{1,2})(?::(\d\d)(?::(\d\d))?)?\s?([ap])\.?m\.?(?!\w)/gi;
const TWENTY_FOUR_HOURS =
  /(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,]\d{1,9})?)?(?:\s?(?:Z|UTC|GMT)|[+-]\d\d:\d\d)?(?!\w|:\d)/g;
const CJK_HOURS = /(上午|下午|晚上|凌晨|早上|中午)?\s?(\d{1,2})[点时](?!间)(?:(\d{1,2})分)?(?:(\d{1,2})秒)?/g;
const GERMAN_HOURS = /(?<![\w.:])(\d{1,2}) Uhr(?: (\d\d))?(?!\w)/g;

/**
 * Takes instants and times of day out of a text and blanks plain dates, whose day and year are not figures of a claim.
 * A `3:1` is a ratio, not a time: the minutes have two digits.
 */
export const takeClockTimes = (text: string, found: Found): string => {
  const clock = (
    raw: string,
    h: string | undefined,
    m: string | undefined,
    s: string | undefined,
    shift = 0,
  ): string => {
    const hour = shift === 0 ? Number(h) : (Number(h) % 12) + (shift > 0 ? 12 : 0);
    if (hour > 24) return raw;
    const secondsOfDay = secondsOf(String(hour), m, s) % 86_400;
    found({
      raw,
      secondsOfDay,
      toTheSecond: s !== undefined,
      epochMs: null,
      isUtc: /(?:Z|UTC|GMT)$/.test(raw),
    });
    return ' ';
  };
  let rest = takeInstants(text, found);
  for (const date of DATES) rest = rest.replace(date, ' ');
  return rest
    .replace(TWELVE_HOURS, (raw: string, h: string, m?: string, s?: string, half?: string) =>
      Number(h) > 12 ? raw : clock(raw, h, m, s, half?.toLowerCase() === 'p' ? 1 : -1),
    )
    .replace(TWENTY_FOUR_HOURS, (raw: string, h: string, m?: string, s?: string) => clock(raw, h, m, s))
    .replace(CJK_HOURS, (raw: string, half?: string, h?: string, m?: string, s?: string) => {
      const afternoon = half === '下午' || half === '晚上';
      return clock(raw, h, m, s, afternoon && Number(h) < 12 ? 1 : 0);
    })
    .replace(GERMAN_HOURS, (raw: string, h: string, m?: string) => clock(raw, h, m, undefined));
};

/** Whether two times may be one: to the second where both say it, else to the minute. */
export const isSameTime = (a: ClockTime, b: ClockTime): boolean => {
  const grain = a.toTheSecond && b.toTheSecond ? 1 : 60;
  return Math.floor(a.secondsOfDay / grain) === Math.floor(b.secondsOfDay / grain);
};

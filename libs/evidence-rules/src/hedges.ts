/**
 * How a number is hedged (rule 29). A hedge claims closeness, at most 10 % of the value, and most claim a direction too.
 */
export type Hedge = 'ABOUT' | 'OVER' | 'UNDER' | 'AT_LEAST' | 'AT_MOST';

const CLOSE = 0.1;
const SLACK = 1e-9;

/** Whether a hedged number is honest about a value. */
export const hedgeFits = (hedge: Hedge, claimed: number, value: number): boolean => {
  const [n, v] = [Math.abs(claimed), Math.abs(value)];
  if (Math.abs(n - v) > CLOSE * v * (1 + SLACK)) return false;
  switch (hedge) {
    case 'ABOUT':
      return true;
    case 'OVER':
      return v > n;
    case 'UNDER':
      return v < n;
    case 'AT_LEAST':
      return v >= n * (1 - SLACK);
    case 'AT_MOST':
      return v <= n * (1 + SLACK);
  }
};

/** The values about which a hedged number is honest, as [low, high]; the ends of a direction that excludes them are shaved off. */
export const hedgedRange = (hedge: Hedge, claimed: number): [number, number] => {
  const n = Math.abs(claimed);
  const [low, high] = [n / (1 + CLOSE), n / (1 - CLOSE)];
  const shave = n * 1e-6;
  switch (hedge) {
    case 'ABOUT':
      return [low, high];
    case 'OVER':
      return [n + shave, high];
    case 'UNDER':
      return [low, n - shave];
    case 'AT_LEAST':
      return [n, high];
    case 'AT_MOST':
      return [low, n];
  }
};

/** Words of languages with spaces, and those without, which stand inside other letters. */
const WORDS: readonly [Hedge, spaced: string, unspaced: string][] = [
  ['AT_LEAST', 'at least|no less than|no fewer than|not less than|mindestens', '至少|不少于|≥'],
  ['AT_MOST', 'at most|up to|no more than|not more than|höchstens|maximal|bis zu', '最多|至多|不超过|≤'],
  ['UNDER', 'just under|nearly|almost|less than|fewer than|under|knapp|weniger als', '将近|接近|不到|少于'],
  ['OVER', 'just over|over|more than|upwards of|mehr als|über', '超过|多于'],
  ['ABOUT', 'about|around|approximately|approx\\.?|roughly|close to|circa|ca\\.|etwa|ungefähr|rund', '大约|大概|约|[~≈]'],
]; // prettier-ignore

/** Directly before the number; an article may stand between. */
const BEFORE = new RegExp(
  `(?:${WORDS.map(([, spaced, unspaced]) => `((?<![\\p{L}-])(?:${spaced})(?![\\p{L}])|${unspaced})`).join('|')})\\s*(?:an? |the )?[([“"'$€£#]?$`,
  'iu',
);
const BEHIND: readonly [Hedge, RegExp][] = [
  ['AT_LEAST', /^\s?(?:\+(?![\d\w])|or more\b|and more\b|oder mehr\b|以上)/i],
  ['AT_MOST', /^\s?(?:or less\b|or fewer\b|oder weniger\b|以下)/i],
  ['ABOUT', /^\s?(?:or so\b|左右|上下)/i],
];

/** `over` is also across, and during: a spread is over exactly so many nodes, a rise over exactly so many minutes. */
const ACROSS =
  /(?:spread|distribut\w*|divided|split|averag\w*|summ?\w*|total\w*|mean|measured|counted|aggregat\w*|ran(?:ge[sd]?|ging)|balanc\w*|verteilt)\s+(?:\w+\s+)?over\s*$/i;
const TIME_UNIT_BEHIND =
  /^[\s-]?(?:ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?|weeks?|minuten?|stunden?)\b/i;
/** A negated hedge bounds from the other side, and no longer says that the value is near: such a number is held to rule 28. */
const NEGATED =
  /\b(?:no|not|never|none|neither|nor|without|cannot|nicht|kein\w*|nie)\b[^.!?;]*$|n't\b[^.!?;]*$|[没不未无][^。！？；]{0,12}$/i;

const LOOK_BACK = 64;

/** The hedge around the number at [from, to) of a text, with its words; null when there is none. */
export const hedgeAround = (
  text: string,
  from: number,
  to: number,
): { hedge: Hedge; words: string } | null => {
  const head = text.slice(Math.max(0, from - LOOK_BACK), from);
  const tail = text.slice(to, to + 16);
  const before = BEFORE.exec(head);
  if (before) {
    const group = before.slice(1).findIndex((word) => word !== undefined);
    const hedge = WORDS[group]?.[0];
    const lead = head.slice(0, before.index);
    if (hedge === undefined || NEGATED.test(lead)) return null;
    const isAcross =
      /^over$/i.test(before[group + 1] ?? '') && (ACROSS.test(head) || TIME_UNIT_BEHIND.test(tail));
    return { hedge: isAcross ? 'AT_LEAST' : hedge, words: before[0] };
  }
  const behind = BEHIND.find(([, pattern]) => pattern.test(tail));
  return behind && !NEGATED.test(head) ? { hedge: behind[0], words: '' } : null;
};

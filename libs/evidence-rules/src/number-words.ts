const UNITS: Record<string, number> = {
  zero: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, eleven: 11,
  twelve: 12, thirteen: 13, fourteen: 14, fifteen: 15, sixteen: 16, seventeen: 17, eighteen: 18, nineteen: 19,
  zwei: 2, drei: 3, vier: 4, fünf: 5, sechs: 6, sieben: 7, acht: 8, neun: 9, zehn: 10, elf: 11, zwölf: 12,
}; // prettier-ignore
const TENS: Record<string, number> = {
  twenty: 20, thirty: 30, forty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90,
  zwanzig: 20, dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90,
}; // prettier-ignore
const SCALES: Record<string, number> = {
  dozen: 12, hundred: 100, hundert: 100, thousand: 1e3, tausend: 1e3, million: 1e6, millionen: 1e6, billion: 1e9, milliarden: 1e9,
}; // prettier-ignore

const WORD = [UNITS, TENS, SCALES]
  .flatMap((table) => Object.keys(table))
  .sort((a, b) => b.length - a.length)
  .join('|');
const NOT_A_LETTER = '(?![\\p{L}\\p{N}_])';
/** A run of number words. */
const WORDS = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${WORD})(?:(?:[- ]| and )(?:${WORD}))*${NOT_A_LETTER}`,
  'giu',
);
/** `two-phase`, `three-way`: names of things. `two-minute` counts. */
const COMPOUND = /^-(?!(?:second|minute|hour|day|week|fold|percent|sekunden|minuten|stunden)s?\b)[a-z]/i;

const valueOfWords = (words: readonly string[]): number => {
  let total = 0;
  let current = 0;
  for (const word of words) {
    const scale = SCALES[word];
    if (scale === undefined) {
      current += UNITS[word] ?? TENS[word] ?? 0;
    } else if (scale >= 1e3) {
      total += (current || 1) * scale;
      current = 0;
    } else {
      current = (current || 1) * scale;
    }
  }
  return total + current;
};

/**
 * Takes number words (English, German) out of a text. A lone `one` is a pronoun more often than a number and a lone scale
 * (`thousands of`) is no figure, so both are left out.
 */
export const takeNumberWords = (
  text: string,
  found: (raw: string, value: number, at: number) => void,
): string =>
  text.replace(WORDS, (raw: string, offset: number) => {
    const words = raw
      .toLowerCase()
      .split(/[- ]+/)
      .filter((word) => word !== 'and');
    const single = words.length === 1 ? (words[0] as string) : null;
    const isFigure = single === null || (single !== 'one' && SCALES[single] === undefined);
    if (isFigure && !COMPOUND.test(text.slice(offset + raw.length, offset + raw.length + 12)))
      found(raw, valueOfWords(words), offset);
    return ' ';
  });

const SCALED =
  /(?<![\w.])(\d[\d,]*(?:\.\d+)?)\s(hundred|thousand|million|billion|tausend|Millionen|Milliarden)\b/g;

/** Takes digits with a scale in words out of a text: `1.5 million`. */
export const takeScaledNumbers = (
  text: string,
  found: (raw: string, digits: string, scale: number, at: number) => void,
): string =>
  text.replace(SCALED, (raw: string, digits: string, word: string, at: number) => {
    found(raw, digits, SCALES[word.toLowerCase()] ?? 1, at);
    return ' ';
  });

const CJK_DIGITS: Record<string, number> = {
  〇: 0, 零: 0, 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9,
}; // prettier-ignore
const CJK_SCALES: Record<string, number> = { 十: 10, 百: 100, 千: 1e3, 万: 1e4, 亿: 1e8 };

export const valueOfCjk = (numeral: string): number => {
  const chars = [...numeral];
  if (chars.length > 1 && chars.every((c) => CJK_DIGITS[c] !== undefined)) {
    return Number(chars.map((c) => CJK_DIGITS[c]).join(''));
  }
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const char of chars) {
    const scale = CJK_SCALES[char];
    if (scale === undefined) {
      digit = CJK_DIGITS[char] ?? 0;
    } else if (scale >= 1e4) {
      total += (section + digit || 1) * scale;
      section = 0;
      digit = 0;
    } else {
      section += (digit || 1) * scale;
      digit = 0;
    }
  }
  return total + section + digit;
};

const CJK = '[〇零一二两三四五六七八九十百千万亿]{1,12}';
const CLASSIFIER = '(?=\\s?(?:个|次|秒|分钟|小时|毫秒|天|周|条|台|倍|名|种|项|副本|实例|个百分点))';
const CJK_NUMBER = new RegExp(
  `百分之(${CJK}|\\d+(?:\\.\\d+)?)|(\\d+(?:\\.\\d+)?)\\s?([百千万亿])|(?<![第〇零一二两三四五六七八九十百千万亿])(${CJK})${CLASSIFIER}`,
  'gu',
);

/**
 * Takes CJK numerals out of a text where they count something: a numeral before a classifier, `百分之…`, digits with a CJK scale.
 * Elsewhere these characters are parts of words (`统一`, `十分`); `一` alone is an article.
 */
export const takeCjkNumbers = (
  text: string,
  found: (raw: string, value: number, at: number, isPercent: boolean) => void,
): string =>
  text.replace(
    CJK_NUMBER,
    (
      raw: string,
      percent: string | undefined,
      digits: string | undefined,
      scale: string | undefined,
      numeral: string | undefined,
      at: number,
    ) => {
      if (percent !== undefined)
        found(raw, /^\d/.test(percent) ? Number(percent) : valueOfCjk(percent), at, true);
      else if (digits !== undefined && scale !== undefined)
        found(raw, Number(digits) * (CJK_SCALES[scale] ?? 1), at, false);
      else if (numeral !== undefined && numeral !== '一') found(raw, valueOfCjk(numeral), at, false);
      return ' ';
    },
  );

import { CJK_PHRASES, STOP_WORDS } from './stop-words';

/** A word of a text: what it is indexed under. */
export type Word = {
  /** The parts of a name (`pg_stat_activity`, `CrashLoopBackOff`, `retry-after`) or the word itself, stemmed. */
  parts: readonly string[];
  /** All parts as one, so that snake, kebab, camel and plain spelling meet; only where there are several. */
  joined?: string;
};

const TERM_CHARS_MAX = 64;

const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}';
const TOKEN = new RegExp(
  `[${CJK}]+|(?:(?![${CJK}])[\\p{L}\\p{N}])+(?:[_.:/@-](?:(?![${CJK}])[\\p{L}\\p{N}])+)*`,
  'gu',
);
const IS_CJK = new RegExp(`^[${CJK}]`, 'u');
const SEPARATORS = /[_.:/@-]+/;
/** `imagePull|Secrets`, `OOM|Killed`. */
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

const VOWEL = /[aeiouy]/;
const undoubled = (stem: string): string => stem.replace(/([bdfgmnprt])\1$/, '$1');

/** Endings off that only bend a word: plural, -ing, -ed, -ion, final e. Rough on purpose; both sides go through it. */
const stemOf = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let stem = word;
  if (/(?:s|x|z|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^aeious]ies$/.test(stem) && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/[^suia]s$/.test(stem)) stem = stem.slice(0, -1);
  for (const ending of ['ing', 'ed', 'ion']) {
    const rest = stem.slice(0, -ending.length);
    if (stem.endsWith(ending) && rest.length >= 3 && VOWEL.test(rest)) {
      stem = undoubled(rest);
      break;
    }
  }
  return stem.length > 4 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
};

const pairsOf = (run: string): string[] => {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
};

const cjkWords = (run: string): Word[] =>
  run
    .replace(CJK_PHRASES, ' ')
    .split(' ')
    .filter(Boolean)
    .flatMap(pairsOf)
    .map((pair) => ({ parts: [pair] }));

const nameWord = (token: string): Word[] => {
  const pieces = token
    .split(SEPARATORS)
    .flatMap((piece) => piece.split(CAMEL))
    .map((piece) => piece.toLowerCase());
  const parts = pieces
    .filter((piece) => !STOP_WORDS.has(piece) && piece.length <= TERM_CHARS_MAX)
    .map(stemOf);
  if (parts.length === 0) return [];
  const joined = pieces.join('');
  return pieces.length > 1 && joined.length <= TERM_CHARS_MAX
    ? [{ parts, joined: stemOf(joined) }]
    : [{ parts }];
};

/** The words of a text without those that say nothing; code and metric names whole and in parts, CJK in pairs. */
export const wordsOf = (text: string): Word[] =>
  [...text.normalize('NFKC').matchAll(TOKEN)].flatMap(([token]) =>
    IS_CJK.test(token) ? cjkWords(token) : nameWord(token),
  );

/** Every term that a text is indexed and searched by, repetitions included. */
export const termsOf = (text: string): string[] =>
  wordsOf(text).flatMap(({ parts, joined }) => (joined === undefined ? parts : [joined, ...parts]));

import { defangLinks } from '@inquest/redaction/defang-links';

/* eslint-disable no-control-regex -- the rule is about exactly these characters */

/** Characters that change what a reader sees without being seen. Line feed and tab are text. */
const UNSEEN: readonly [RegExp, string][] = [
  [/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/, 'a control character'],
  [/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/, 'a character that changes the direction of writing'],
  [
    /[\u00AD\u180E\u200B-\u200D\u2060-\u2064\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDC7F]/,
    'an invisible character',
  ],
];

export const unseenCharacter = (text: string): string | null => {
  if (!text.isWellFormed()) return 'half of a surrogate pair';
  return UNSEEN.find(([pattern]) => pattern.test(text))?.[1] ?? null;
};

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Of other scripts, what passes for a Latin letter: of Greek not `μs`, `Δt` and `kΩ`. */
const FALSE_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Cherokee}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγηικνορτυχϲϳ]/u;
const LATIN = /\p{Script=Latin}/u;
const GREEK = /\p{Script=Greek}/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const ASCII_ONLY = /^[\u0000-\u007F]*$/;

const isOfTwoAlphabets = (word: string): boolean =>
  (LATIN.test(word) && FALSE_LETTER.test(word)) || (CYRILLIC.test(word) && GREEK.test(word));

/** A word of Latin and Cyrillic letters, say, is none in any language: it passes for another one. */
export const hasFalseLetters = (text: string): boolean =>
  !ASCII_ONLY.test(text) && (text.normalize('NFKC').match(WORD) ?? []).some(isOfTwoAlphabets);

/** Whether a renderer would follow, fetch or run some of it. What came from a tool would not: the border saw to that. */
export const isLive = (text: string): boolean => defangLinks(text) !== text;

const URL_HOST =
  /(?<![A-Za-z0-9])(?:([a-z][a-z0-9+.-]{1,20}):)?\/\/(?:[^\s/?#@]{1,200}@)?([^\s/?#:)\]>"'`]{1,253})|(?<![\w.])(www\.[^\s/?#:)\]>"'`]{1,249})/giu;
const SCHEME = /(?<![A-Za-z])(?:javascript|data|vbscript|file|blob|mailto|tel|sms):(?=\S)/i;
const IMAGE = /!\[[^\]]{0,500}\]\s?[([]|<\s?(?:img|iframe|object|embed|script|link|svg)[\s/>]/i;

/** A link or image that a renderer might follow, unless its host is allowed; null when there is none. */
export const forbiddenLink = (text: string, allowedHosts: readonly string[]): string | null => {
  if (IMAGE.test(text)) return 'an image or embedded element';
  if (SCHEME.test(text)) return 'a link that runs, carries data or starts a message';
  for (const match of text.matchAll(URL_HOST)) {
    const [, scheme = 'https', named, www] = match;
    const host = (named ?? www ?? '').toLowerCase().replace(/\.$/, '');
    if (!/^https?$/i.test(scheme) || !allowedHosts.includes(host))
      return 'a link to a host that is not on the list of allowed ones';
  }
  return isLive(text.replace(URL_HOST, ' ')) ? 'what opens an application' : null;
};

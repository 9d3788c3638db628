/** Letters of other scripts that look like Latin ones, as payloads use them: `Іgnоre` is no word that a pattern knows. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['аɑα', 'a'],
    ['ьƅв', 'b'],
    ['сϲⅽ', 'c'],
    ['ԁⅾ', 'd'],
    ['еєёεҽ', 'e'],
    ['ɡց', 'g'],
    ['һհ', 'h'],
    ['іїιɩӏı', 'i'],
    ['јϳ', 'j'],
    ['кκ', 'k'],
    ['ⅼ', 'l'],
    ['мⅿ', 'm'],
    ['пոη', 'n'],
    ['оοσօ০', 'o'],
    ['рρ', 'p'],
    ['ԛ', 'q'],
    ['гᴦ', 'r'],
    ['ѕꜱ', 's'],
    ['тτ', 't'],
    ['υսц', 'u'],
    ['ѵν', 'v'],
    ['ԝѡ', 'w'],
    ['хχ', 'x'],
    ['уγ', 'y'],
    ['ᴢ', 'z'],
  ].flatMap(([from = '', to = '']) => [...from].map((letter) => [letter, to])),
);

const MADE_VISIBLE = /\[U\+[0-9A-F]{4,6}\]/g;
const UNSEEN = /[\u00AD\u034F\u061C\u115F\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF]/g;

const ASCII_ONLY = /^[\u0000-\u007F]*$/; // eslint-disable-line no-control-regex

const latin = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(UNSEEN, '')
    .toLowerCase()
    .replace(/[^\x00-\x7F]/gu, (letter) => LOOK_ALIKES[letter] ?? letter); // eslint-disable-line no-control-regex

/** A text as a careless reader sees it: one script, one case, one kind of space, nothing hidden. Lines stay. */
export const plainLetters = (text: string): string => {
  const visible = text.replace(MADE_VISIBLE, '');
  return (ASCII_ONLY.test(visible) ? visible.toLowerCase() : latin(visible))
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, ' ')
    .replace(/ ?\n ?/g, '\n');
};

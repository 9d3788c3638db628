/** jsonb holds neither NUL nor lone surrogates; such a character becomes the replacement mark instead of an error. */
export const safeText = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\uFFFD');

/** JSON.stringify escapes exactly those two; an escaped backslash before them is text and stays. */
const UNSTORABLE = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(UNSTORABLE, (escape) => (escape === '\\\\' ? escape : '\\ufffd'));

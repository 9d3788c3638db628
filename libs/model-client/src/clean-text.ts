/** NUL and lone surrogates cannot be stored as jsonb and are no Unicode text: the adapter lets neither past it. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([0-9a-fA-F]{4})|\\[^]/g;

/**
 * The same for text that is JSON (or means to be): also the escaped spellings, which would turn into the characters
 * when somebody parses it. Works on the text, so that everything else stays as the model wrote it.
 */
export const cleanJsonText = (text: string): string =>
  cleanText(text).replaceAll(ESCAPES, (escape, hex?: string) => {
    if (hex === undefined) return escape;
    if (hex === '0000') return '';
    return /^d[89a-f]/i.test(hex) ? '\\ufffd' : escape;
  });

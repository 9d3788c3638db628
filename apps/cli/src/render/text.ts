// eslint-disable-next-line no-control-regex -- escape sequences are control characters by definition
const ESCAPES = /\u001b\[[0-9;]*m/g;

/** East Asian wide and emoji ranges take two columns; combining marks none. */
const columnsOf = (char: string): number => {
  if (/\p{Mark}/u.test(char)) return 0;
  const code = char.codePointAt(0) ?? 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff);
  return wide ? 2 : 1;
};

/** Columns that a text takes on a terminal. */
export const widthOf = (text: string): number =>
  [...text.replace(ESCAPES, '')].reduce((sum, char) => sum + columnsOf(char), 0);

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

/**
 * Text of other people (reports, evidence) as one that a terminal only prints: control characters, and so escape
 * sequences, are shown as a replacement character. Line breaks become blanks.
 */
export const printable = (text: string): string =>
  text
    .replace(/[\r\n\t]+/g, ' ')
    // eslint-disable-next-line no-control-regex -- these are what it removes
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** Breaks at blanks (or between wide characters) so that no line is wider than `width`; a long word is cut. */
export const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let line = '';
  const flush = () => {
    lines.push(line);
    line = '';
  };
  for (const word of text.split(/ +/).filter((part) => part !== '')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) flush();
    line = line === '' ? '' : `${line} `;
    for (const char of word) {
      if (widthOf(line) + columnsOf(char) > width) flush();
      line += char;
    }
  }
  if (line !== '' || lines.length === 0) flush();
  return lines;
};

/** A paragraph below a hanging indent: `first` opens the first line, blanks of its width the others. */
export const hang = (first: string, text: string, width: number): string[] => {
  const indent = ' '.repeat(widthOf(first));
  return wrap(text, Math.max(20, width - widthOf(first))).map((line, i) => (i === 0 ? first : indent) + line);
};

/** Columns padded to their widest cell; the last one is left ragged. */
export const table = (rows: readonly (readonly string[])[], gap = 2): string[] => {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : padEnd(cell, (widths[i] ?? 0) + gap)))
      .join('')
      .trimEnd(),
  );
};

export const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;

export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** `a1, a2, a3, a7` as `a1-a3, a7`: neighbours of one letter, from three on. */
export const idRanges = (ids: readonly string[]): string => {
  const runs: string[][] = [];
  for (const id of ids) {
    const run = runs.at(-1);
    if (run && follows(run.at(-1) ?? '', id)) run.push(id);
    else runs.push([id]);
  }
  return runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run.join(', '))).join(', ');
};

const follows = (before: string, id: string): boolean =>
  before[0] === id[0] && Number(before.slice(1)) + 1 === Number(id.slice(1));

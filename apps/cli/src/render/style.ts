/** Marks up text for a terminal, or leaves it alone. */
export type Style = {
  bold: (text: string) => string;
  dim: (text: string) => string;
  good: (text: string) => string;
  warn: (text: string) => string;
  bad: (text: string) => string;
  accent: (text: string) => string;
};

const sgr = (open: number, close: number) => (text: string) =>
  text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`;

export const COLOURED: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  good: sgr(32, 39),
  warn: sgr(33, 39),
  bad: sgr(31, 39),
  accent: sgr(36, 39),
};

const same = (text: string): string => text;
export const PLAIN: Style = { bold: same, dim: same, good: same, warn: same, bad: same, accent: same };

/** `03:01:27Z`; the facts beside a text hold the full instants. */
export const clock = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)}Z`;

/** At least three significant digits and no exponent: coarser figures could be taken for other values. */
export const figure = (value: number): string => {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 100) return String(Math.round(value));
  return size >= 1 ? value.toFixed(size >= 10 ? 1 : 2) : value.toPrecision(3);
};

export const listed = (names: readonly string[]): string =>
  names.length <= 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const EXCERPT_CHARS_MAX = 140;
/** Marks of something left out, quotation marks (a quote within a quote), links, and what follows the message proper. */
const CUTS =
  /\[REDACTED|…|\[truncated|["“”`\n]|; (?=[A-Z]{4,}:)|\(?\d+,\d|\b[a-z][a-z0-9+.-]*(?:\[:\]|:)\/\//i;

/** The beginning of a message for quoting, cut at a word, before anything that {@link CUTS} it. */
export const excerpt = (message: string): string => {
  const cut = message.search(CUTS);
  const clean = (cut < 0 ? message : message.slice(0, cut)).trim();
  if (clean.length <= EXCERPT_CHARS_MAX) return clean;
  const head = clean.slice(0, EXCERPT_CHARS_MAX);
  return head.slice(0, Math.max(head.lastIndexOf(' '), EXCERPT_CHARS_MAX / 2)).trim();
};

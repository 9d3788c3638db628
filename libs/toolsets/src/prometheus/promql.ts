/** A label value as PromQL writes it. */
export const quoted = (value: string): string =>
  `"${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`;

/** A text that is meant literally inside a regular expression of PromQL (RE2). */
export const literal = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');

export type Matcher = { label: string; op: '=' | '=~'; value: string };

/** A selector of the metric, or of all metrics that the matchers fit. */
export const selector = (matchers: readonly Matcher[]): string =>
  `{${matchers.map(({ label, op, value }) => `${label}${op}${quoted(value)}`).join(',')}}`;

export const matchersOf = (labels: Readonly<Record<string, string>>): Matcher[] =>
  Object.entries(labels).map(([label, value]) => ({ label, op: '=', value }));

const WORDS = new Set(
  (
    'and or unless by without on ignoring group_left group_right bool offset inf nan start end atan2 ' +
    'sum min max avg group stddev stdvar count count_values bottomk topk quantile limitk limit_ratio'
  ).split(' '),
);

/** Texts become spaces, so that nothing inside them reads as a name; places stay as they are. */
const withoutTexts = (query: string): string =>
  query.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*/g, (text) => ' '.repeat(text.length));

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/g;

/**
 * The metrics that a query names, as far as a reader of names can tell: what stands outside of braces, brackets and label
 * lists and is neither a function nor a word of the language. It serves to tell an empty result from a misspelt name,
 * never to decide what runs.
 */
export const metricsIn = (query: string): string[] => {
  const plain = withoutTexts(query)
    .replace(/\{[^}]*\}/g, (part) => ' '.repeat(part.length))
    .replace(/\[[^\]]*\]/g, (part) => ' '.repeat(part.length))
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/gi, (part) =>
      ' '.repeat(part.length),
    )
    .replace(/\boffset\s+-?[\dsmhdwy]+/gi, (part) => ' '.repeat(part.length));
  const names = new Set<string>();
  for (const match of plain.matchAll(NAME)) {
    const [name] = match;
    const before = plain[match.index - 1] ?? ' ';
    // `5m` and `1e3` are numbers.
    if (/[0-9.]/.test(before)) continue;
    const after = plain.slice(match.index + name.length).trimStart();
    if (after.startsWith('(') || WORDS.has(name.toLowerCase())) continue;
    names.add(name);
  }
  for (const [, , name] of query.matchAll(/__name__\s*=\s*(["'`])([^"'`\\]+)\1/g))
    if (name !== undefined) names.add(name);
  return [...names];
};

/** `\\` before a character, as texts in quotes have it; back quotes know no escapes. */
const unquoted = (text: string): string =>
  text.startsWith('`') ? text.slice(1, -1) : text.slice(1, -1).replace(/\\(.)/g, '$1');

/** A pattern that also fits the absence of the label asks for nothing that must exist. */
const fitsNothing = (pattern: string): boolean => {
  try {
    return new RegExp(`^(?:${pattern})$`, 's').test('');
  } catch {
    return false;
  }
};

/** Matchers that ask for something: equality and patterns, in all three ways of quoting and in their order. */
export const matchersIn = (query: string): Matcher[] =>
  [
    ...query.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~?)\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)/g),
  ].flatMap(([, label, op, text]): Matcher[] => {
    if (label === undefined || text === undefined) return [];
    const value = unquoted(text);
    // A name that is written out is a metric, which metricsIn tells.
    if (value === '' || (label === '__name__' && op === '=')) return [];
    if (op === '=~') return fitsNothing(value) ? [] : [{ label, op: '=~', value }];
    return [{ label, op: '=', value }];
  });

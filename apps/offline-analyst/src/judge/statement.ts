/** A text taken apart into what can be looked up. */
export type Statement = {
  text: string;
  /** `decimals`: how exactly the number is stated; `unit` as written behind it, lower case. */
  numbers: { value: number; decimals: number; unit: string }[];
  /** Words that name one thing: with digits, inner punctuation or inner capitals. Short acronyms are words of the trade. */
  identifiers: string[];
  times: string[];
  quotes: string[];
  words: string[];
};

const TIME =
  /\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?|\b\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\b)/g;
const QUOTED = /[“"]([^”"]{2,500})[”"]|`([^`]{2,200})`/g;
const NUMERIC = /^[-+±~≈<>≤≥(]?(\d[\d,]*(?:\.\d+)?)(%|[a-zµ]{0,8}(?:\/[a-z]+)?)$/i;
const UNIT_WORD = /^(%|percent|ms|milliseconds?|s|secs?|seconds?|min|minutes?|[kmgt]i?b)$/i;

const isIdentifier = (token: string): boolean =>
  /[a-z]/i.test(token) &&
  (/\d/.test(token) ||
    /[_/:@=]/.test(token) ||
    /[a-z][A-Z]/.test(token) ||
    /\w\.\w/.test(token) ||
    /^[A-Z]{6,}$/.test(token) ||
    (token.match(/-/g)?.length ?? 0) >= 2);

const trimmed = (token: string): string =>
  token.replace(/^[([{<'"“”‘’`,;:!?*]+|[)\]}>'"“”‘’`,;:!?.*]+$/g, '').replace(/['’]s$/, '');

export const statementOf = (text: string): Statement => {
  const statement: Statement = { text, numbers: [], identifiers: [], times: [], quotes: [], words: [] };
  statement.quotes = [...text.matchAll(QUOTED)].map((match) => match[1] ?? match[2] ?? '');
  const unquoted = text.replace(QUOTED, ' ');
  statement.times = unquoted.match(TIME) ?? [];
  const tokens = unquoted
    .replace(TIME, ' ')
    .split(/[\s—–]+/)
    .map(trimmed)
    .filter(Boolean);
  for (const [at, token] of tokens.entries()) {
    const number = NUMERIC.exec(token);
    if (number?.[1] !== undefined) {
      const digits = number[1].replaceAll(',', '');
      const next = tokens[at + 1] ?? '';
      const unit = number[2] || (UNIT_WORD.test(next) ? next : '');
      statement.numbers.push({
        value: Number(digits),
        decimals: digits.split('.')[1]?.length ?? 0,
        unit: unit.toLowerCase(),
      });
    } else if (isIdentifier(token)) statement.identifiers.push(token);
    else if (/\p{L}/u.test(token)) statement.words.push(token);
  }
  return statement;
};

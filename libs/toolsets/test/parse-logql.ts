/** A log query as the double understands it: written from the grammar of LogQL, without a look at what builds queries. */
export type ParsedLogQl = {
  matchers: { label: string; op: '=' | '=~'; value: string }[];
  lines: { op: '|=' | '!=' | '|~' | '!~'; text: string }[];
  labels: { label: string; op: '=' | '=~'; value: string }[];
};

const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*/;
/** An interpreted string of Go: no raw line end, and only Go's escapes. */
const STRING = /^"((?:[^"\\\n]|\\(?:[abfnrtv\\"]|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*)"/;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

const unquoted = (body: string): string =>
  body.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gs,
    (_, unicode?: string, hex?: string, letter = '') =>
      (unicode ?? hex)
        ? String.fromCharCode(parseInt(unicode ?? hex ?? '', 16))
        : (ESCAPES[letter as string] ?? ''),
  );

class Reader {
  constructor(private rest: string) {}
  get isAtEnd(): boolean {
    return this.rest.trim() === '';
  }
  take(pattern: RegExp): RegExpExecArray | null {
    this.rest = this.rest.trimStart();
    const match = pattern.exec(this.rest);
    if (match) this.rest = this.rest.slice(match[0].length);
    return match;
  }
  need(pattern: RegExp): RegExpExecArray {
    const match = this.take(pattern);
    if (match === null) throw new Error(`parse error : unexpected ${this.rest.slice(0, 20)}`);
    return match;
  }
}

/** `{a="b", c=~"d"} |~ "e" !~ "f" | g=~"h"`; throws for anything else. */
export const parseLogQl = (query: string): ParsedLogQl => {
  const reader = new Reader(query);
  const parsed: ParsedLogQl = { matchers: [], lines: [], labels: [] };
  const condition = () => ({
    label: reader.need(LABEL)[0],
    op: reader.need(/^=~?/)[0] as '=' | '=~',
    value: unquoted(reader.need(STRING)[1] ?? ''),
  });
  reader.need(/^\{/);
  do parsed.matchers.push(condition());
  while (reader.take(/^,/));
  reader.need(/^\}/);
  if (
    !parsed.matchers.some(({ op, value }) =>
      op === '=' ? value !== '' : !new RegExp(`^(?:${value})$`).test(''),
    )
  )
    throw new Error(
      'parse error : queries require at least one regexp or equality matcher that does not have an empty-compatible value',
    );
  while (!reader.isAtEnd) {
    const op = reader.take(/^(?:\|=|!=|\|~|!~)/)?.[0] as ParsedLogQl['lines'][number]['op'] | undefined;
    if (op !== undefined) parsed.lines.push({ op, text: unquoted(reader.need(STRING)[1] ?? '') });
    else {
      reader.need(/^\|/);
      parsed.labels.push(condition());
    }
  }
  return parsed;
};

/** The few forms of RE2 that differ from a RegExp: flags in front, and flags taken off in a group. */
export const re2 = (pattern: string, isWhole = false): RegExp => {
  const isInsensitive = pattern.startsWith('(?i)');
  let source = pattern.replace(/^\(\?i\)/, '');
  // `(?-i:[EF])` takes letters as they are, which a RegExp can say only where it is not insensitive.
  const [, letters] = /\(\?-i:\[([A-Z]*)\]\)/.exec(source) ?? [];
  source = source.replace(/\(\?-i:(\[[A-Z]*\])\)/, '$1');
  const made = new RegExp(isWhole ? `^(?:${source})$` : source, isInsensitive ? 'i' : '');
  if (letters === undefined) return made;
  return { test: (line: string) => made.test(line), source } as unknown as RegExp;
};

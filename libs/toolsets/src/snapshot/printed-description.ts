/** One `Key: value` of a description with what is indented below it. */
export type Entry = { key: string; value: string; lines: string[]; entries: Entry[] };

const KEYED = /^([^\s:][^:]*(?::\d+)?):(?:\s+(.*))?$/;
const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * What `kubectl describe` prints, as a tree by indentation. A line that names no key belongs to the key above it, as the
 * second and later labels do.
 */
export const printedDescription = (text: string): Entry => {
  const root: Entry = { key: '', value: '', lines: [], entries: [] };
  const open: { indent: number; entry: Entry }[] = [{ indent: -1, entry: root }];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const indent = indentOf(line);
    const [, key, value = ''] = KEYED.exec(line.trim()) ?? [];
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const above = open.at(-1)?.entry ?? root;
    if (key === undefined) {
      above.lines.push(line.trim());
      continue;
    }
    const entry: Entry = { key, value: value.trim(), lines: [], entries: [] };
    above.entries.push(entry);
    open.push({ indent, entry });
  }
  return root;
};

export const entryOf = (entry: Entry | undefined, key: string): Entry | undefined =>
  entry?.entries.find((candidate) => candidate.key === key);

/** The value of a key; null where it is absent or kubectl's word for nothing. */
export const valueOf = (entry: Entry | undefined, key: string): string | null => {
  const value = entryOf(entry, key)?.value ?? '';
  return value === '' || /^<(?:none|unset|nil)>$/.test(value) ? null : value;
};

/** The value and the lines below it, which continue it. */
export const linesOf = (entry: Entry | undefined, key: string): string[] => {
  const found = entryOf(entry, key);
  return [valueOf(entry, key) ?? '', ...(found?.lines ?? [])].filter((line) => line !== '');
};

/** `a=b` lines, also several in one line with commas. */
export const pairsOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .flatMap((line) => line.split(','))
      .flatMap((pair): [string, string][] => {
        const at = pair.indexOf('=');
        return at > 0 ? [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]] : [];
      }),
  );

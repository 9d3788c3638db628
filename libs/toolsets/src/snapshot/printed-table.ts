/** Columns of kubectl begin where their headings do; headings are set apart by two blanks or more. */
export const printedTable = (text: string): Record<string, string>[] => {
  const [heading = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  const columns = [...heading.matchAll(/\S+(?: \S+)*/g)].map((match) => ({
    name: match[0],
    from: match.index,
  }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, from }, index) => [name, line.slice(from, columns[index + 1]?.from).trim()]),
    ),
  );
};

const UNITS: Record<string, number> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** `2m17s`, `4d3h` or `109s` in ms; null for anything else. */
export const ageMs = (text: string): number | null => {
  const parts = [...text.matchAll(/(\d+)([dhms])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return null;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0) * 1_000, 0);
};

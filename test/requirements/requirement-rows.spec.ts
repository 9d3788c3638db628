import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '..', '..');

const ROWS = Array.from({ length: 11 }, (_, index) => `H${index + 1}`);

const DESCRIBE = /\bdescribe\w*\s*\(\s*(['"`])([^\n]*?)\1/g;

describe('every requirement row can be run by its id', () => {
  const testsByRow = new Map<string, string[]>();

  beforeAll(() => {
    for (const file of ['apps', 'libs', 'test'].flatMap((dir) => specFiles(join(root, dir)))) {
      if (file === __filename) continue;
      const names = [...readFileSync(file, 'utf8').matchAll(DESCRIBE)].map((match) => match[2] ?? '');
      for (const name of names)
        for (const row of name.match(/\bH\d+\b/g) ?? [])
          testsByRow.set(row, [...(testsByRow.get(row) ?? []), relative(root, file)]);
    }
  });

  it.each(ROWS)('%s is named by a describe block', (row) => {
    expect(testsByRow.get(row) ?? []).not.toEqual([]);
  });

  it('names no row that does not exist', () => {
    expect([...testsByRow.keys()].filter((row) => !ROWS.includes(row))).toEqual([]);
  });
});

function specFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : specFiles(path);
    return entry.name.endsWith('.spec.ts') ? [path] : [];
  });
}

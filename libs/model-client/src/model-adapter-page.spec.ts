import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADAPTER_CASES } from '../test/adapter-cases';

const PAGE = join(__dirname, '../../../docs/reference/model-adapter.md');

/** Rows of the page that begin with a case's number, as their cells. */
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => /^\| \d+ /.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );

describe('the page that tells an operator what each case looks like', () => {
  it('has one row for each case, in order', () => {
    expect(rows.map(([n]) => Number(n))).toEqual(ADAPTER_CASES.map(({ n }) => n));
  });

  it.each(ADAPTER_CASES.map((each) => [each.n, each] as const))(
    'case %d is described as it is tested',
    (n, { title, variants }) => {
      const [, endpoint, outcome, run, advice] = rows[n - 1] ?? [];
      expect(endpoint).toBe(title);
      const outcomes = [...new Set(variants.map((variant) => variant.outcome))];
      expect(outcome).toBe(outcomes.map((each) => `\`${each}\``).join(' or '));
      expect(run?.length).toBeGreaterThan(10);
      expect(advice).not.toBe('');
    },
  );
});

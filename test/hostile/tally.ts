import type { Family } from './payload';
import type { Ending } from './run-in-process';

type Row = {
  drafts: number;
  byRules: number;
  byVerdict: number;
  byJudge: number;
  clean: number;
  leakedPastIgnoring: number;
  leakedByBoth: number;
};

const EMPTY: Row = {
  drafts: 0,
  byRules: 0,
  byVerdict: 0,
  byJudge: 0,
  clean: 0,
  leakedPastIgnoring: 0,
  leakedByBoth: 0,
};

/** Counts what stopped what, for the table that the spec prints. */
export class Tally {
  private readonly rows = new Map<string, Row>();
  private notIngested = 0;

  refusedAtIngest(): void {
    this.notIngested += 1;
  }

  add(
    family: Family,
    author: 'ignores' | 'obeys',
    judgeObeys: boolean,
    ending: Ending,
    leaked: boolean,
  ): void {
    const key = `${family}; author ${author}; judge ${judgeObeys ? 'obeys' : 'ignores'}`;
    const row = this.rows.get(key) ?? { ...EMPTY };
    this.rows.set(key, row);
    row.drafts += 1;
    if (ending.kind === 'REJECTED') row.byRules += 1;
    else if (ending.kind === 'WITHHELD') row[ending.why === 'UNSUPPORTED' ? 'byJudge' : 'byVerdict'] += 1;
    else if (!leaked) row.clean += 1;
    else row[judgeObeys ? 'leakedByBoth' : 'leakedPastIgnoring'] += 1;
  }

  /** Sums over all families. */
  totals(author: 'ignores' | 'obeys', judge: 'ignores' | 'obeys'): Row {
    const sum = { ...EMPTY };
    for (const [key, row] of this.rows) {
      if (!key.endsWith(`author ${author}; judge ${judge}`)) continue;
      for (const name of Object.keys(EMPTY) as (keyof Row)[]) sum[name] += row[name];
    }
    return sum;
  }

  table(): string {
    const lines = [...this.rows].map(
      ([key, row]) =>
        `  ${key.padEnd(72)} ${[
          row.drafts,
          row.byRules,
          row.byVerdict,
          row.byJudge,
          row.clean,
          row.leakedPastIgnoring,
          row.leakedByBoth,
        ]
          .map((n) => String(n).padStart(7))
          .join('')}`,
    );
    return [
      '',
      `  ${''.padEnd(72)}  drafts  rules  verdict  judge  clean  leaked  by both`,
      ...lines,
      `  runbooks not taken in: ${this.notIngested}`,
      '',
    ].join('\n');
  }
}

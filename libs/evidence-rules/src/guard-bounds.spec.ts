import fc from 'fast-check';
import { given, type LooseAnalysis } from '../test/draft';
import { result, WINDOW } from '../test/ledger';
import type { GuardInput, LedgerRecord } from './guard-input';
import { validateDraft } from './validate-draft';

const print = (line: string): void => void process.stdout.write(`    ${line}\n`);

const timed = (input: GuardInput): { ms: number; kind: string } => {
  const startedAt = performance.now();
  const { kind } = validateDraft(input);
  return { ms: performance.now() - startedAt, kind };
};

const percentile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/** Figures are printed; the bounds are wide enough for a busy machine. */
const BUSY = 6;

describe('the bounds of the guard', () => {
  const unicode = fc.string({ unit: 'binary', minLength: 900, maxLength: 1_000 });

  it('ends within 50 ms on 100 KB of random Unicode, and never throws', () => {
    const samples: number[] = [];
    fc.assert(
      fc.property(fc.array(unicode, { minLength: 55, maxLength: 55 }), (texts) => {
        const raw = texts.join('').slice(0, 51_200);
        const analyses = texts.slice(0, 50).map((text, i): LooseAnalysis => ({
          id: `a${i + 1}`,
          kind: 'OBSERVATION',
          text,
          toolCallIds: ['call_logs'],
        }));
        for (const input of [
          given({ draftText: raw }),
          given({ draft: (d) => void (d.analyses = analyses) }),
        ]) {
          const { ms, kind } = timed(input);
          samples.push(ms);
          expect(kind).toBe('REJECTED');
        }
      }),
      { numRuns: 20 },
    );
    print(
      `100 KB of random Unicode: p50 ${percentile(samples, 0.5).toFixed(1)} ms, worst ${Math.max(...samples).toFixed(1)} ms`,
    );
    expect(percentile(samples, 0.9)).toBeLessThan(50 * BUSY);
  });

  it.each([
    ['digits', '7'.repeat(2_000)],
    ['digits and commas', '1,'.repeat(1_000)],
    ['digits and dots', '1.'.repeat(1_000)],
    ['quotation marks', '"“'.repeat(1_000)],
    ['number words', 'two hundred '.repeat(166)],
    ['CJK numerals', '百万'.repeat(1_000)],
    ['slashes', 'a//'.repeat(660)],
    ['colons', '1:'.repeat(1_000)],
    ['white space', ' '.repeat(2_000)],
    ['hyphens', '1-'.repeat(1_000)],
  ])('stays linear on texts of %s', (_, text) => {
    const analyses = Array.from({ length: 50 }, (__, i): LooseAnalysis => ({
      id: `a${i + 1}`,
      kind: 'OBSERVATION',
      text,
      toolCallIds: ['call_logs'],
    }));
    expect(timed(given({ draft: (d) => void (d.analyses = analyses) })).ms).toBeLessThan(60 * BUSY);
  });

  /** 32 KB of log rows and samples. */
  const bigCall = (n: number): LedgerRecord => {
    const rows = Array.from({ length: 180 }, (_, i) => ({
      time: new Date(Date.parse(WINDOW.from) + i * 20_000).toISOString(),
      service: `svc-${n}`,
      level: 'ERROR',
      message: `request ${n * 1_000 + i} failed after ${i * 13} ms, "pool" ${i % 26} of 25 in use`,
    }));
    return result(
      `call_${n}`,
      { tool: 'search_logs', matched: 180, returned: 180, truncated: false, rows },
      { scope: { service: `svc-${n}` }, window: WINDOW },
    );
  };
  const calls = Array.from({ length: 20 }, (_, n) => bigCall(n));
  const analysis = (i: number): LooseAnalysis => {
    const n = i % 20;
    const id = `call_${n}`;
    const row = i * 3;
    const at = new Date(Date.parse(WINDOW.from) + row * 20_000).toISOString();
    return {
      id: `a${i + 1}`,
      kind: 'OBSERVATION',
      text: `At ${at} request ${n * 1_000 + row} of svc-${n} failed after ${row * 13} ms; 180 rows matched, ${row % 26} of 25 in use.`,
      toolCallIds: [id, `call_${(n + 1) % 20}`],
      scope: { service: `svc-${n}`, window: WINDOW },
      facts: Array.from({ length: 5 }, (_, k) => ({
        toolCallId: id,
        path: `/rows/${row + k}/service`,
        value: `svc-${n}`,
        policy: 'exact',
      })),
      quotes: [{ toolCallId: id, path: `/rows/${row}/message`, quote: `failed after ${row * 13} ms` }],
      entities: [{ type: 'service', name: `svc-${n}`, toolCallId: id }],
    };
  };
  const large = (change: (a: LooseAnalysis) => unknown = () => undefined): GuardInput =>
    given({
      ledger: calls,
      draft: (d) => {
        d.analyses = Array.from({ length: 50 }, (_, i) => analysis(i));
        for (const item of d.analyses) change(item);
        d.conclusion = {
          status: 'PROBABLE_CAUSE',
          text: 'Requests failed.',
          analysisIds: d.analyses.map(({ id }) => id),
        };
        d.actionPlan = [
          { id: 'p1', text: 'Look at the pool of 25.', analysisIds: d.analyses.map(({ id }) => id) },
        ];
        d.recommendations = [];
        d.limitations = [];
        d.candidates = [];
      },
    });

  it('takes under 40 ms for 50 analyses over 20 calls of 32 KB', () => {
    const bytes = calls.map((call) => (call.kind === 'RESULT' ? call.projection.length : 0));
    expect(Math.min(...bytes)).toBeGreaterThan(24_000);
    const samples = Array.from({ length: 60 }, () => timed(large()));
    expect(samples.every(({ kind }) => kind === 'ACCEPTED')).toBe(true);
    const ms = samples.slice(10).map((sample) => sample.ms);
    print(
      `50 analyses over 20 calls of ${Math.round((bytes[0] ?? 0) / 1024)} KB: p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`,
    );
    expect(percentile(ms, 0.5)).toBeLessThan(40 * BUSY);
  });

  it('takes little longer to reject it', () => {
    const ms = Array.from(
      { length: 20 },
      () => timed(large((a) => (a.text = `${a.text} 987654 more.`))).ms,
    ).slice(5);
    print(
      `the same with a wrong number in each: p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`,
    );
    expect(percentile(ms, 0.5)).toBeLessThan(120 * BUSY);
  });
});

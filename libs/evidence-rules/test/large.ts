import { given, type LooseAnalysis } from './draft';
import { result, WINDOW } from './ledger';
import type { GuardInput, LedgerRecord } from '../src/guard-input';

const instant = (row: number): string => new Date(Date.parse(WINDOW.from) + row * 15_000).toISOString();

/** 32 KB of log rows. */
const bigCall = (n: number, rowsMax: number): LedgerRecord => {
  const rows = Array.from({ length: rowsMax }, (_, i) => ({
    time: instant(i),
    service: `svc-${n}`,
    level: 'ERROR',
    message: `request ${n * 1_000 + i} failed after ${i * 13} ms, "pool" ${i % 26} of 25 in use`,
  }));
  return result(
    `call_${n}`,
    { tool: 'search_logs', matched: rowsMax, returned: rowsMax, truncated: false, rows },
    { scope: { service: `svc-${n}` }, window: WINDOW },
  );
};

export const ROWS = 228;

const analysis = (i: number, callsMax: number): LooseAnalysis => {
  const n = i % callsMax;
  const id = `call_${n}`;
  const row = i * 3;
  return {
    id: `a${i + 1}`,
    kind: 'OBSERVATION',
    text: `At ${instant(row)} request ${n * 1_000 + row} of svc-${n} failed after ${row * 13} ms; ${ROWS} rows matched, ${row % 26} of 25 in use.`,
    toolCallIds: [id, `call_${(n + 1) % callsMax}`],
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

/** A sound draft of many analyses over many calls of 32 KB; `change` spoils each of them, `steps` are what it advises. */
export const largeInput = (
  analysesMax: number,
  callsMax: number,
  change: (a: LooseAnalysis) => unknown = () => undefined,
  steps: readonly string[] = ['Look at the pool of 25.'],
): GuardInput =>
  given({
    ledger: Array.from({ length: callsMax }, (_, n) => bigCall(n, ROWS)),
    draft: (d) => {
      d.analyses = Array.from({ length: analysesMax }, (_, i) => analysis(i, callsMax));
      for (const item of d.analyses) change(item);
      const analysisIds = d.analyses.map(({ id }) => id);
      d.conclusion = { status: 'PROBABLE_CAUSE', text: 'Requests failed.', analysisIds };
      d.actionPlan = steps.map((text, i) => ({ id: `p${i + 1}`, text, analysisIds }));
      d.recommendations = [];
      d.limitations = [];
      d.candidates = [];
    },
  });

/** A draft that speaks of one output of so many MB, and of another one, wrongly: every index has to be built. */
export const hugeInput = (megabytes: number): GuardInput => {
  const rows = Array.from({ length: megabytes * 9_000 }, (_, i) => ({
    time: instant(i),
    count: i * 7,
    message: `request ${i} failed after ${i * 13} ms — “pool” full`,
  }));
  return given({
    extra: [result('call_huge', { tool: 'search_logs', matched: rows.length, rows }, { window: WINDOW })],
    draft: (d) => {
      d.recommendations.push({ id: 'r2', text: 'Run kubectl delete pvc data.', analysisIds: ['a2'] });
      d.analyses.push({
        id: 'a4',
        kind: 'OBSERVATION',
        text: 'At 03:03:03 it failed 987654321 times, about 123456789 of them “in no output”; zero-42 did.',
        toolCallIds: ['call_huge'],
        facts: [{ toolCallId: 'call_huge', path: '/rows/1/count', value: 8, policy: 'exact' }],
        quotes: [{ toolCallId: 'call_huge', quote: 'failed after no ms at all' }],
        entities: [{ type: 'service', name: 'nobody-of-that-name', toolCallId: 'call_huge' }],
      });
    },
  });
};

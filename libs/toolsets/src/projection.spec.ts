import { canonicalJson, type Json } from '@inquest/contracts/canonical-json';
import { createRedactor } from '@inquest/redaction/redactor';
import fc from 'fast-check';
import { PROJECTION_BYTES_FLOOR, projectResult } from './projection';
import { TRUNCATION_MARK_START, cutText } from './shrink-json';
import type { Coverage, RawResult } from './tool';

const redactor = createRedactor('run-1');
const BYTES_MAX = 32 * 1024;

const coverage: Coverage = {
  scope: { service: 'checkout', filter: 'level=ERROR' },
  window: { from: '2026-05-01T10:00:00Z', to: '2026-05-01T10:05:00Z' },
  dataSpan: null,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: true,
  untrustedPaths: [],
  suggestions: [],
};
const rowsOf = (
  rows: Json[],
  extra: Partial<Coverage> & { summary?: { [key: string]: Json } } = {},
): RawResult => ({
  ...coverage,
  kind: 'ROWS',
  matched: rows.length,
  rows,
  ...extra,
});
const project = (raw: RawResult, bytesMax = BYTES_MAX) =>
  projectResult('search_logs', raw, { bytesMax, redactor });
const parsed = (raw: RawResult, bytesMax = BYTES_MAX) =>
  JSON.parse(project(raw, bytesMax).text) as { [key: string]: Json } & {
    rows: Json[];
    omitted: { rows: number; cuts: number };
  };

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const rawResult: fc.Arbitrary<RawResult> = fc.oneof(
  fc.array(json, { maxLength: 60 }).map((rows) => rowsOf(rows)),
  fc
    .tuple(fc.array(json, { maxLength: 20 }), json)
    .map(([rows, value]) => rowsOf(rows, { summary: { value } })),
  fc
    .array(json, { maxLength: 20 })
    .map((series): RawResult => ({ ...coverage, kind: 'SERIES', matched: 20, series })),
  fc
    .tuple(fc.array(json, { maxLength: 20 }), json)
    .map(([events, spec]): RawResult => ({ ...coverage, kind: 'OBJECT', object: { spec }, events })),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.string({ unit: 'binary', minLength: 100, maxLength: 4_000 }))
    .map(([count, text]) => rowsOf(Array.from({ length: count }, (_, n) => ({ n, text })))),
);

describe('a projection', () => {
  it('is canonical JSON with totals, scope and window', () => {
    const { text, truncated, returned, matched } = project(rowsOf([{ b: 1, a: 2 }]));
    expect(text).toBe(canonicalJson(JSON.parse(text)));
    expect({ truncated, returned, matched }).toEqual({ truncated: false, returned: 1, matched: 1 });
    expect(JSON.parse(text)).toEqual({
      tool: 'search_logs',
      matched: 1,
      returned: 1,
      truncated: false,
      limitHit: false,
      selectorKnown: true,
      scope: coverage.scope,
      window: coverage.window,
      rows: [{ a: 2, b: 1 }],
    });
  });

  it('never exceeds its budget and is always valid JSON', () => {
    fc.assert(
      fc.property(rawResult, fc.integer({ min: 0, max: 20_000 }), (raw, bytesMax) => {
        const { text, returned, truncated } = project(raw, bytesMax);
        expect(Buffer.byteLength(text, 'utf8')).toBeLessThanOrEqual(
          Math.max(PROJECTION_BYTES_FLOOR, bytesMax),
        );
        expect(JSON.parse(text)).toMatchObject({ returned, truncated });
      }),
      { numRuns: 300 },
    );
  });

  it('keeps its budget when scope and suggestions are as long as they may be', () => {
    const wide = '\u{1F600}'.repeat(250);
    const raw = rowsOf([{ text: 'x'.repeat(5_000) }], {
      scope: { service: wide.slice(0, 250), filter: wide },
      suggestions: [wide, wide],
    });
    const { text, truncated } = project(raw, PROJECTION_BYTES_FLOOR);
    expect(Buffer.byteLength(text, 'utf8')).toBeLessThanOrEqual(PROJECTION_BYTES_FLOOR);
    expect(truncated).toBe(true);
  });

  it('drops whole rows from the end and says how many', () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ n, message: 'x'.repeat(300) }));
    const body = parsed(rowsOf(rows));
    expect(body.rows).toEqual(rows.slice(0, body.rows.length));
    expect(body).toMatchObject({ matched: 500, truncated: true, returned: body.rows.length });
    expect(body.omitted).toEqual({ rows: 500 - body.rows.length, cuts: 0 });
  });

  it('bounds a result of 700 KB quickly', () => {
    const rows = Array.from({ length: 3_500 }, (_, n) => ({
      n,
      message: `password=abc${n} ${'lorem ipsum '.repeat(16)}`,
    }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(700_000);
    const startedAt = performance.now();
    const { text, truncated, matched, redactedCount } = project(rowsOf(rows));
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
    expect({ truncated, matched, redactedCount }).toEqual({
      truncated: true,
      matched: 3_500,
      redactedCount: 3_500,
    });
    expect(text).not.toContain('password=abc');
  });

  it('shows one text of 700 KB cut with a mark rather than nothing', () => {
    const body = parsed(rowsOf([{ message: 'y'.repeat(700_000) }]));
    const [{ message }] = body.rows as [{ message: string }];
    expect(message).toMatch(/^y+\[TRUNCATED \d+ characters\]$/);
    expect(body).toMatchObject({ truncated: true, returned: 1, omitted: { rows: 0, cuts: 1 } });
  });

  it('shrinks a huge object until it fits', () => {
    const spec = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`key${n}`, { list: Array(50).fill('v'.repeat(30)) }]),
    );
    const { text, truncated } = project({
      ...coverage,
      kind: 'OBJECT',
      object: { spec } as never,
      events: [],
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
    expect(truncated).toBe(true);
    expect(text).toContain(TRUNCATION_MARK_START);
  });

  it('redacts before it cuts, so that no part of a secret survives a cut', () => {
    const secret = 's3cret-'.repeat(40);
    const { text, redactedCount } = project(
      rowsOf([{ message: `${'x'.repeat(1_900)} password=${secret}` }]),
      4_096,
    );
    expect(text).not.toContain('s3cret');
    expect(redactedCount).toBe(1);
  });

  it('marks an empty result as complete', () => {
    expect(parsed(rowsOf([]))).toMatchObject({ matched: 0, returned: 0, truncated: false, rows: [] });
  });

  it('replaces NUL, which a database cannot store', () => {
    expect(project(rowsOf([{ message: 'a\u0000b' }])).text).not.toContain('\\u0000');
  });

  it('refuses numbers that are none', () => {
    expect(() => project(rowsOf([Number.NaN]))).toThrow(TypeError);
  });
});

describe('the content hash', () => {
  const hash = (raw: RawResult, tool = 'search_logs') =>
    projectResult(tool, raw, { bytesMax: BYTES_MAX, redactor }).contentHash;
  const rows: Json[] = [{ time: '2026-05-01T10:00:00Z', message: 'a' }];

  it('ignores window, scope and flags', () => {
    const later = rowsOf(rows, { window: null, scope: {}, selectorKnown: null, sampled: true });
    expect(hash(later)).toBe(hash(rowsOf(rows)));
  });

  it('ignores the order of members', () => {
    expect(hash(rowsOf([{ message: 'a', time: '2026-05-01T10:00:00Z' }]))).toBe(hash(rowsOf(rows)));
  });

  it('changes with one new row and with the tool', () => {
    expect(hash(rowsOf([...rows, { message: 'b' }]))).not.toBe(hash(rowsOf(rows)));
    expect(hash(rowsOf(rows), 'other')).not.toBe(hash(rowsOf(rows)));
  });

  it('is the same however often the same result is projected', () => {
    fc.assert(fc.property(rawResult, (raw) => expect(hash(raw)).toBe(hash(structuredClone(raw)))));
  });
});

describe('a cut text', () => {
  it('keeps short texts and says how much is missing of long ones', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcdef', 3)).toBe('abc[TRUNCATED 3 characters]');
  });

  it('splits neither a surrogate pair nor a redaction mark', () => {
    expect(cutText('ab\u{1F600}cd', 3).isWellFormed()).toBe(true);
    expect(cutText('ab [REDACTED:password:ab12] cd', 12)).toMatch(/^ab \[TRUNCATED \d+ characters\]$/);
  });
});

import { sha256 } from '@inquest/contracts/canonical-json';
import type { ToolCallId } from '@inquest/contracts/ids';
import { EvidenceStatus, LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import fc from 'fast-check';
import { z } from 'zod';
import { SourceFailure, type IncidentSource } from './incident-source';
import { incidentSources } from './incident-sources';
import { runTool, toolsByName, type ToolCall, type ToolRunner } from './run-tool';
import {
  ArgumentsRefused,
  defineTool,
  type Coverage,
  type RawResult,
  type ReadOnlyTool,
  type ToolContext,
} from './tool';
import { unrunEntry } from './unrun-entry';

const SECRET_CAUSE = 'ECONNREFUSED 10.1.2.3 secret-cause';

describe('H3 invocation status and evidence status of one tool call', () => {
  it.each<[string, Run, string, string, string | null]>([
    ['rows were found', async () => rows(3), 'READY', 'EVIDENCE_FOUND', null],
    ['an object was found', async () => object({ kind: 'Pod' }), 'READY', 'EVIDENCE_FOUND', null],
    ['a series was found', async () => series(1), 'READY', 'EVIDENCE_FOUND', null],
    ['a part of the rows was found', async () => rows(3, { partial: true }), 'READY', 'EVIDENCE_FOUND', null],
    ['no row matches', async () => rows(0), 'READY', 'NO_EVIDENCE', null],
    ['no object matches', async () => object(null), 'READY', 'NO_EVIDENCE', null],
    ['no series matches', async () => series(0), 'READY', 'NO_EVIDENCE', null],
    ['nothing was found in a part', async () => rows(0, { partial: true }), 'READY', 'NO_EVIDENCE', null],
    ['the source fails', sourceFails('SOURCE_FAILED'), 'READY', 'ERROR', 'SOURCE_FAILED'],
    ['the source refuses', sourceFails('ACCESS_DENIED'), 'READY', 'ERROR', 'ACCESS_DENIED'],
    ['the source sends nonsense', sourceFails('RESULT_UNUSABLE'), 'READY', 'ERROR', 'RESULT_UNUSABLE'],
    ['the tool throws', () => Promise.reject(new Error(SECRET_CAUSE)), 'READY', 'ERROR', 'SOURCE_FAILED'],
    ['a row holds no number', async () => rows(0, {}, [Number.NaN]), 'READY', 'ERROR', 'RESULT_UNUSABLE'],
    ['the tool refuses its arguments', refuses, 'ERROR', 'ERROR', 'BAD_ARGUMENTS'],
    ['the tool hangs', () => new Promise(() => undefined), 'ERROR', 'ERROR', 'TIMEOUT'],
    ['the tool hangs until it is aborted', hangsPolitely, 'ERROR', 'ERROR', 'TIMEOUT'],
  ])('when %s', async (_, run, status, evidenceStatus, errorClass) => {
    const entry = await call(run);
    expect(entry).toMatchObject({ status, evidenceStatus, errorClass, tool: 'probe', toolset: 'test' });
    expect(JSON.stringify(entry)).not.toContain('secret-cause');
  });

  it.each<[string, Partial<ToolCall>, string]>([
    ['an unknown tool', { tool: 'drop_table' }, 'UNKNOWN_TOOL'],
    ['a tool named like a property', { tool: '__proto__' }, 'UNKNOWN_TOOL'],
    ['empty arguments', { argumentsText: '' }, 'BAD_ARGUMENTS'],
    ['truncated arguments', { argumentsText: '{"query":"a"' }, 'BAD_ARGUMENTS'],
    ['arguments that are an array', { argumentsText: '[]' }, 'BAD_ARGUMENTS'],
    ['arguments that are null', { argumentsText: 'null' }, 'BAD_ARGUMENTS'],
    ['an unknown argument', { argumentsText: '{"query":"a","querry":"b"}' }, 'BAD_ARGUMENTS'],
    ['an argument called __proto__', { argumentsText: '{"query":"a","__proto__":{"x":1}}' }, 'BAD_ARGUMENTS'],
    ['an argument of the wrong type', { argumentsText: '{"query":5}' }, 'BAD_ARGUMENTS'],
    [
      'deeply nested arguments',
      { argumentsText: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}` },
      'BAD_ARGUMENTS',
    ],
    ['arguments over the limit', { argumentsText: `{"query":"${'a'.repeat(9_000)}"}` }, 'BAD_ARGUMENTS'],
    ['an unknown source', { source: 'elsewhere' }, 'UNKNOWN_SOURCE'],
    ['a path as source', { source: '../../etc' }, 'UNKNOWN_SOURCE'],
    ['no source', { source: null }, 'UNKNOWN_SOURCE'],
  ])('could not run with %s: ERROR and ERROR', async (_, changes, errorClass) => {
    let ran = false;
    const run: Run = async () => {
      ran = true;
      return rows(1);
    };
    const entry = await call(run, changes);
    expect(entry).toMatchObject({
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      errorClass,
      returned: 0,
      matched: null,
    });
    expect(ran).toBe(false);
  });

  it('lets neither a secret nor a link of the arguments into the record', async () => {
    const argumentsText = JSON.stringify({ query: 'password=hunter22 at https://evil.example' });
    const scope = { service: 'x'.repeat(250), filter: `contains=${'password=hunter22 '.repeat(40)}` };
    const entry = LedgerEntry.parse(await call(async () => ({ ...rows(1), scope }), { argumentsText }));
    expect(JSON.stringify(entry)).not.toMatch(/hunter22|https:/);
    expect(JSON.stringify(entry.arguments)).toContain('[REDACTED:password:');
    expect(JSON.parse(entry.projection.inline ?? '')).toMatchObject({ scope: entry.scope });
    const asked = {
      toolCallId: entry.toolCallId,
      providerId: null,
      tool: 'probe',
      source: 'shop',
      asOf: entry.asOf,
    };
    const unrun = unrunEntry({ ...asked, argumentsText, projectionBytesMax: 1 }, 'incident', 'NOT_STARTED');
    expect(JSON.stringify(unrun)).not.toMatch(/hunter22|https:/);
  });

  it('keeps the arguments of a refused call for the record, and null for what was no object', async () => {
    expect((await call(refuses, { argumentsText: '{"query":"a"}' })).arguments).toEqual({ query: 'a' });
    expect((await call(refuses, { argumentsText: 'nonsense' })).arguments).toBeNull();
  });

  it('is CANCELLED when the run was cancelled before or during the call', async () => {
    const before = new AbortController();
    before.abort();
    expect(await call(async () => rows(1), {}, { signal: before.signal })).toMatchObject({
      status: 'ERROR',
      errorClass: 'CANCELLED',
    });

    const during = new AbortController();
    const pending = call(hangsPolitely, {}, { signal: during.signal });
    during.abort();
    expect(await pending).toMatchObject({
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      errorClass: 'CANCELLED',
    });
  });

  it.each(EvidenceStatus.options)('allows no other pair: ERROR with %s', async (evidenceStatus) => {
    const entry = { ...(await call(async () => rows(1))), status: 'ERROR' as const, evidenceStatus };
    const errorClass = evidenceStatus === 'ERROR' ? ('TIMEOUT' as const) : null;
    expect(LedgerEntry.safeParse({ ...entry, errorClass }).success).toBe(evidenceStatus === 'ERROR');
  });
});

describe('a ledger entry', () => {
  it('says truthfully what was queried and how complete the answer is', async () => {
    const said: Coverage = {
      scope: { service: 'checkout', filter: 'level=ERROR' },
      window: { from: '2026-05-01T10:00:00Z', to: '2026-05-01T10:05:00Z' },
      dataSpan: { from: '2026-05-01T10:00:01Z', to: '2026-05-01T10:04:00Z' },
      limitHit: true,
      sampled: true,
      partial: true,
      permissionFiltered: true,
      selectorKnown: true,
      untrustedPaths: ['/rows/*/message'],
      suggestions: [],
    };
    const { suggestions: _, ...recorded } = said;
    expect(await call(async () => rows(2, said))).toMatchObject({
      ...recorded,
      matched: 2,
      returned: 2,
      truncated: false,
    });
  });

  it('carries a result of 700 KB as a bounded, redacted projection', async () => {
    const message = `password=hunter2 ${'z'.repeat(180)}`;
    const entry = await call(async () =>
      rows(
        0,
        {},
        Array.from({ length: 3_500 }, (_, n) => ({ n, message })),
      ),
    );
    expect(entry).toMatchObject({
      status: 'READY',
      evidenceStatus: 'EVIDENCE_FOUND',
      truncated: true,
      redactedCount: 3_500,
    });
    expect(entry.projection.bytes).toBeLessThanOrEqual(32 * 1024);
    expect(entry.projection.inline).not.toContain('hunter2');
  });

  it('stays within the smallest of the limits of run, tool and fact', async () => {
    const many = async () => rows(2_000);
    const small = await call(many, { projectionBytesMax: 2_000 });
    expect(small.projection.bytes).toBeLessThanOrEqual(2_000);
    const large = await call(many, { projectionBytesMax: 262_144 });
    expect(large.projection.bytes).toBeLessThanOrEqual(32 * 1024);
  });

  it('lists only the documents whose rows are in the projection', async () => {
    const documents = Array.from({ length: 300 }, (_, n) => ({ id: `rb#${n}`, versionHash: 'a'.repeat(64) }));
    const passages = documents.map(({ id }) => ({ id, text: 'p'.repeat(1_000) }));
    const raw = { ...rows(0, {}, passages), documents } as RawResult;
    const entry = await call(async () => raw, { projectionBytesMax: 8_000 });
    expect(entry.documents?.map(({ id }) => id)).toEqual(
      (JSON.parse(entry.projection.inline ?? '') as { rows: { id: string }[] }).rows.map(({ id }) => id),
    );
    expect(entry.documents?.length).toBeLessThan(20);
  });

  it('tells the service, and nobody else, why a call failed', async () => {
    const reports: unknown[] = [];
    await call(
      () => Promise.reject(new Error(SECRET_CAUSE)),
      {},
      { onFailure: (report) => reports.push(report) },
    );
    expect(reports).toEqual([
      { toolCallId: 'call-1', tool: 'probe', errorClass: 'SOURCE_FAILED', cause: new Error(SECRET_CAUSE) },
    ]);
  });

  it('comes out of any argument text and any tool name', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 256 });
    await fc.assert(
      fc.asyncProperty(text, name, async (argumentsText, tool) => {
        const entry = await call(async () => rows(1), { argumentsText, tool });
        expect(entry.status).toBe('ERROR');
      }),
    );
  });
});

/* ---------- fixtures ---------- */

type Run = (context: ToolContext) => Promise<RawResult>;

const complete: Coverage = {
  scope: {},
  window: null,
  dataSpan: null,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  untrustedPaths: [],
  suggestions: [],
};
function rows(count: number, coverage: Partial<Coverage> = {}, own?: unknown[]): RawResult {
  const list = (own ?? Array.from({ length: count }, (_, n) => ({ n, text: 'row '.repeat(10) }))) as never[];
  return { ...complete, ...coverage, kind: 'ROWS', matched: list.length, rows: list };
}
function series(count: number): RawResult {
  return {
    ...complete,
    kind: 'SERIES',
    matched: count,
    series: Array.from({ length: count }, () => ({ name: 'm' })),
  };
}
function object(found: { kind: string } | null): RawResult {
  return { ...complete, kind: 'OBJECT', object: found, events: [] };
}
function sourceFails(errorClass: SourceFailure['errorClass']): Run {
  return () => Promise.reject(new SourceFailure(errorClass, 'failed', new Error(SECRET_CAUSE)));
}
function refuses(): Promise<RawResult> {
  return Promise.reject(new ArgumentsRefused('from: must be before to'));
}
function hangsPolitely({ signal }: ToolContext): Promise<RawResult> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(SECRET_CAUSE))));
}

const probe = (run: Run): ReadOnlyTool =>
  defineTool(
    {
      name: 'probe',
      toolset: 'test',
      description: 'a test tool',
      service: 'tool',
      timeoutMs: 60,
      projectionBytesMax: 32 * 1024,
      needsSource: true,
      parameters: z.strictObject({ query: z.string() }),
    },
    (_, context) => run(context),
  );

async function call(
  run: Run,
  changes: Partial<ToolCall> = {},
  runner: Partial<ToolRunner> = {},
): Promise<LedgerEntry> {
  const entry = await runTool(
    {
      toolCallId: 'call-1' as ToolCallId,
      providerId: null,
      tool: 'probe',
      argumentsText: '{"query":"a"}',
      source: 'shop',
      asOf: '2026-05-01T10:06:00Z',
      projectionBytesMax: 64 * 1024,
      ...changes,
    },
    {
      tools: toolsByName([probe(run)]),
      sources: incidentSources([{ name: 'shop' } as IncidentSource]),
      redactor: createRedactor('run-1'),
      signal: new AbortController().signal,
      ...runner,
    },
  );
  // Whatever came out has the frozen shape, and its projection is one JSON document with the right digest.
  const parsed = LedgerEntry.parse(entry);
  const text = parsed.projection.inline ?? '';
  expect(JSON.parse(text)).toHaveProperty('tool', parsed.tool.toWellFormed());
  expect(parsed.projection).toMatchObject({ sha256: sha256(text), bytes: Buffer.byteLength(text) });
  return parsed;
}

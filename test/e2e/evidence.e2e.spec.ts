import { join } from 'node:path';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { CoverageEntry } from '@inquest/contracts/outcome';
import type { RunView } from '@inquest/contracts/run-view';
import { sha256 } from '@inquest/contracts/canonical-json';
import { calls, type CallSpec } from '@inquest/testing/scripted-model';
import { problemKind } from './support/api';
import { makeSilentFile, whenRead } from './support/freeze';
import { logLines, manyLogLines, writeIncident } from './support/incidents';
import { rowOf } from './support/read-model';
import { drafting } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const HUGE_BYTES = 700 * 1024;
const SECRETS = [
  'hunter2-is-no-password',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
];

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack({
    limits: { toolTimeoutMs: 3_000 },
    tokens: [{ name: 'asker', tenant: 'local', scopes: ['ask'] }],
    incidents: (scratch) => ({
      small: writeIncident(scratch, 'small'),
      broken: writeIncident(scratch, 'broken', { 'objects.json': 'no JSON', 'logs.ndjson': null }),
      partial: writeIncident(scratch, 'partial', { 'events.json': null }),
      huge: writeIncident(scratch, 'huge', { 'logs.ndjson': manyLogLines(HUGE_BYTES) }),
      leaky: writeIncident(scratch, 'leaky', {
        'logs.ndjson': logLines(
          `user 7 logged in with password=${SECRETS[0]}`,
          `upload with ${SECRETS[1]} was refused`,
          `GET /orders Authorization: Bearer ${SECRETS[2]}`,
        ),
      }),
      slow: writeIncident(scratch, 'slow', { 'logs.ndjson': null }),
    }),
  });
});
afterAll(() => the?.stop());

/** A run whose agent makes these calls, arguments as they stand, in one turn. */
const runWith = async (source: string | undefined, ...wanted: CallSpec[]): Promise<RunView> => {
  the.play({
    intercept: (role, { body }) =>
      role === 'agent' && !body.messages.some(({ role: who }) => who === 'assistant')
        ? calls(...wanted)
        : undefined,
  });
  return the.api.askAndEnd({ source });
};

const call = (id: string, name: string, args: object | string): CallSpec => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

const covered = (
  toolCallId: string,
  tool: string,
  status: CoverageEntry['status'],
  evidenceStatus: CoverageEntry['evidenceStatus'],
  truncated = false,
) => ({ toolCallId, tool, status, evidenceStatus, truncated });

describe('H3 invocation status and evidence status are two things', () => {
  it('found, nothing found, and calls that could not run, side by side in one run', async () => {
    const view = await runWith(
      'small',
      call('found', 'search_logs', {}),
      call('nothing', 'search_logs', { contains: 'nobody wrote this' }),
      call('unknown', 'no_such_tool', {}),
      call('wrong', 'search_logs', { limit: 'all of them' }),
      call('broken-json', 'search_logs', '{"service":'),
    );
    expect(view.outcome).toBe('SUCCESS');
    expect(view.coverage).toEqual([
      covered('found', 'search_logs', 'READY', 'EVIDENCE_FOUND'),
      covered('nothing', 'search_logs', 'READY', 'NO_EVIDENCE'),
      covered('unknown', 'unknown_tool', 'ERROR', 'ERROR'),
      covered('wrong', 'search_logs', 'ERROR', 'ERROR'),
      covered('broken-json', 'search_logs', 'ERROR', 'ERROR'),
    ]);
    expect(await the.api.evidence(view.runId, 'nothing')).toMatchObject({
      status: 'READY',
      evidenceStatus: 'NO_EVIDENCE',
      errorClass: null,
      scope: { filter: 'contains=nobody wrote this' },
      matched: 0,
    });
    expect((await the.api.evidence(view.runId, 'unknown')).errorClass).toBe('UNKNOWN_TOOL');
    expect((await the.api.evidence(view.runId, 'wrong')).errorClass).toBe('BAD_ARGUMENTS');
    expect(await the.api.evidence(view.runId, 'broken-json')).toMatchObject({
      errorClass: 'BAD_ARGUMENTS',
      arguments: null,
    });
  });

  it('a source that fails was asked: READY with ERROR, and the run goes on with what the others gave', async () => {
    const view = await runWith(
      'broken',
      call('unusable', 'list_objects', {}),
      call('missing', 'search_logs', {}),
      call('sound', 'active_alerts', {}),
    );
    expect(view.outcome).toBe('SUCCESS');
    expect(view.coverage).toEqual([
      covered('unusable', 'list_objects', 'READY', 'ERROR'),
      covered('missing', 'search_logs', 'READY', 'ERROR'),
      covered('sound', 'active_alerts', 'READY', 'EVIDENCE_FOUND'),
    ]);
    expect((await the.api.evidence(view.runId, 'unusable')).errorClass).toBe('RESULT_UNUSABLE');
    expect((await the.api.evidence(view.runId, 'missing')).errorClass).toBe('SOURCE_FAILED');
  });

  it('without a source no tool can run', async () => {
    const view = await runWith(undefined, call('sourceless', 'search_logs', {}));
    expect(view.coverage).toEqual([covered('sourceless', 'search_logs', 'ERROR', 'ERROR')]);
    expect((await the.api.evidence(view.runId, 'sourceless')).errorClass).toBe('UNKNOWN_SOURCE');
  });

  it('a partial answer is found evidence that says that it is partial', async () => {
    const view = await runWith(
      'partial',
      call('half', 'describe_object', { kind: 'Pod', name: 'checkout-1', namespace: 'shop' }),
    );
    expect(view.coverage).toEqual([covered('half', 'describe_object', 'READY', 'EVIDENCE_FOUND')]);
    expect(await the.api.evidence(view.runId, 'half')).toMatchObject({ partial: true });
    expect(view.report?.limitations).toMatchObject([{ toolCallIds: ['half'] }]);
  });

  it('700 KB of lines become one bounded projection, the same bytes for model and person', async () => {
    const view = await runWith('huge', call('flood', 'search_logs', { limit: 200 }));
    expect(view.outcome).toBe('SUCCESS');
    expect(view.coverage).toEqual([covered('flood', 'search_logs', 'READY', 'EVIDENCE_FOUND', true)]);
    const { projection, matched, limitHit } = await the.api.evidence(view.runId, 'flood');
    expect({ limitHit, many: (matched ?? 0) > 2_000 }).toEqual({ limitHit: true, many: true });
    expect(projection.bytes).toBeLessThanOrEqual(32 * 1024);
    expect(projection.sha256).toBe(sha256(projection.inline ?? ''));
    const shown = the
      .requestsOf(view.runId)
      .flatMap(({ body }) => body.messages)
      .find(({ role }) => role === 'tool');
    expect((JSON.parse(shown?.content ?? '') as { projection: string }).projection).toBe(projection.inline);
  });

  it('a tool that outlives its deadline has failed, and the run goes on', async () => {
    const silent = join(the.scratch, 'slow', 'logs.ndjson');
    makeSilentFile(silent);
    const ended = runWith('slow', call('stuck', 'search_logs', {}), call('fine', 'list_objects', {}));
    const reader = await whenRead(silent);
    const view = await ended.finally(() => reader.letGo());
    expect(view.coverage).toEqual([
      covered('stuck', 'search_logs', 'ERROR', 'ERROR'),
      covered('fine', 'list_objects', 'READY', 'EVIDENCE_FOUND'),
    ]);
    expect(view.outcome).toBe('SUCCESS');
    expect((await the.api.evidence(view.runId, 'stuck')).errorClass).toBe('TIMEOUT');
  });
});

describe('H3 what was not found may only be said as not found', () => {
  const nothing = { turns: [[{ name: 'search_logs', arguments: { contains: 'nobody wrote this' } }]] };
  const spoiled = (change: Record<string, unknown>) =>
    drafting(
      (draft) =>
        JSON.stringify({
          ...draft,
          analyses: draft.analyses.map((analysis) => ({ ...analysis, ...change })),
        }),
      nothing,
    ).script;

  it.each([
    ['an OBSERVATION that cites it', { kind: 'OBSERVATION', scope: undefined }, /^12 /],
    ['a NEGATIVE_OBSERVATION that is wider than the query', { scope: { service: 'payments' } }, /^14 /],
  ])('rejects %s', async (_, change, rule) => {
    the.model.play(spoiled(change));
    const view = await the.api.askAndEnd({ source: 'small' });
    expect(view.fallback?.type).toBe('EVIDENCE_VALIDATION_FAILED');
    const [rejected] = await the.log.eventsOf(view.runId, 'EvidenceRejected');
    expect(rejected?.violations.map(({ ruleId }) => ruleId)).toContainEqual(expect.stringMatching(rule));
  });

  it('releases the same statement within the scope of the query', async () => {
    the.play(nothing);
    const view = await the.api.askAndEnd({ source: 'small' });
    expect(view.report?.analyses).toMatchObject([{ kind: 'NEGATIVE_OBSERVATION' }]);
  });
});

describe('what a run knows', () => {
  it('travels by the object store where it is large, and is released all the same', async () => {
    const parts = Array.from({ length: 6 }, (_, n) =>
      call(`part-${n}`, 'search_logs', { contains: `${n} was`, limit: 200 }),
    );
    const view = await runWith('huge', ...parts);
    expect(view.outcome).toBe('SUCCESS');
    const [release] = await the.log.eventsOf(view.runId, 'RunReleased');
    const result = await the.log.resultData(
      evidenceResult,
      view.runId,
      'evidence',
      release?.evidenceStep ?? '',
    );
    expect(result).toMatchObject({
      kind: 'ACCEPTED',
      snapshot: { blob: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(result.kind === 'ACCEPTED' && result.snapshot.bytes).toBeGreaterThan(128 * 1024);
    expect((await rowOf(the, view.runId)).report_hash).toBe(view.reportHash);
    expect(await the.api.view(view.runId)).toEqual(view);
  });

  it('holds no secret of the source: neither model nor person sees one', async () => {
    const view = await runWith('leaky', call('leak', 'search_logs', {}));
    const { projection, redactedCount } = await the.api.evidence(view.runId, 'leak');
    expect(redactedCount).toBeGreaterThanOrEqual(SECRETS.length);
    const sent = JSON.stringify(the.requestsOf(view.runId).map(({ body }) => body));
    expect(sent).toContain('logged in');
    for (const secret of SECRETS) {
      expect(projection.inline).not.toContain(secret);
      expect(sent).not.toContain(secret);
    }
  });
});

describe('evidence of a run', () => {
  it('opens to who asked only where the released report cites it', async () => {
    the.model.play(
      drafting(
        (draft) =>
          JSON.stringify({
            ...draft,
            analyses: draft.analyses.slice(0, 1),
            conclusion: { ...draft.conclusion, analysisIds: ['a1'] },
          }),
        {
          turns: [
            [
              { name: 'search_logs', arguments: {} },
              { name: 'list_objects', arguments: {} },
            ],
          ],
        },
      ).script,
    );
    const asker = the.apiAs('asker');
    const view = await asker.askAndEnd({ source: 'small' });
    expect(view.outcome).toBe('SUCCESS');
    expect((await asker.evidence(view.runId, 'call_1_0')).tool).toBe('search_logs');
    const uncited = await asker.send('GET', `/v1/runs/${view.runId}/evidence/call_1_1`);
    expect([uncited.status, problemKind(uncited)]).toEqual([404, 'not-found']);
    expect((await the.api.evidence(view.runId, 'call_1_1')).tool).toBe('list_objects');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolCallId } from '@inquest/contracts/ids';
import { proposedCalls } from '@inquest/model-client/proposed-calls';
import { createRedactor } from '@inquest/redaction/redactor';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName } from '@inquest/toolsets/run-tool';
import { writeIncident } from '../e2e/support/incidents';
import { honestDraft } from './authors';
import { ignoringJudge } from './judges';
import { PAYLOADS } from './payloads';
import { guard, LIVE, release } from './run-in-process';
import { AS_OF, RUN } from './stage';

/** What a model writes besides its draft comes back into evidence and in front of people as well: arguments, names, ids. */
describe('a payload in the calls of an author that obeys', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'inquest-calls-'));
    writeIncident(scratch, 'small');
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const called = (argumentsText: string, tool = 'search_logs', toolCallId = 'c1') =>
    runTool(
      {
        ...{ toolCallId: toolCallId as ToolCallId, providerId: null, tool, argumentsText },
        ...{ source: 'small', asOf: AS_OF, projectionBytesMax: 32 * 1024 },
      },
      {
        tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
        sources: openIncidentSources(`small=${join(scratch, 'small')}`),
        redactor: createRedactor(RUN),
        signal: new AbortController().signal,
      },
    );

  const texts = PAYLOADS.flatMap(({ name, pieces, obeyed }) =>
    [...pieces, ...(obeyed ?? [])].map((text, i) => [`${name} ${i}`, text.slice(0, 200)] as const),
  );

  it.each(texts)('%s: is no link and no secret in the record of the call', async (_, text) => {
    const entry = await called(JSON.stringify({ contains: text }));
    const shown = JSON.stringify(entry);
    expect(shown).not.toMatch(LIVE);
    expect(shown).not.toMatch(/Sup3rSecret99|hunter22/);
  });

  it.each(texts)('%s: is no name of a tool', (_, text) => {
    const [call] = proposedCalls([{ id: 'call_1', name: text, arguments: '{}', state: {} }], {
      kind: 'strict',
    });
    expect(call?.name).toMatch(/^(\(malformed\)|[A-Za-z_][A-Za-z0-9_.-]{0,63})$/);
  });

  it.each(texts)('%s: is no id of a call', (_, text) => {
    const [call] = proposedCalls([{ id: text, name: 'search_logs', arguments: '{}', state: {} }], {
      kind: 'strict',
    });
    expect(call?.toolCallId).toBeNull();
  });

  /** A filter that found nothing is legally repeated by the report that says so. */
  it.each(texts)('%s: does not get into a report as the scope of an absence', async (_, text) => {
    const [first, second] = [
      await called('{}'),
      await called(JSON.stringify({ contains: text }), 'search_logs', 'c2'),
    ];
    if (second.evidenceStatus !== 'NO_EVIDENCE') return;
    const draft = honestDraft();
    draft.analyses = [
      {
        id: 'a1',
        kind: 'NEGATIVE_OBSERVATION',
        text: 'No such line was logged.',
        toolCallIds: ['c2'],
        scope: { ...second.scope, window: second.window },
      },
    ];
    draft.recommendations = [];
    const calls = [first, second].map((entry) => ({
      entry,
      projection: entry.projection.inline ?? '',
      plantedAt: [],
    }));
    const ending = release(
      guard(calls, JSON.stringify(draft), 'Why?'),
      ignoringJudge(() => false),
    );
    if (ending.kind === 'RELEASED') expect(ending.report).not.toMatch(LIVE);
  });
});

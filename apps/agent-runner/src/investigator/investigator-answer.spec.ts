import type { InvestigatorMode } from '@inquest/contracts/case-facts';
import { InvestigationPrompt } from '@inquest/contracts/case-parts';
import type { ChatOutcome } from '@inquest/model-client/chat-outcome';
import { investigatorResultOf, investigatorSchema } from './investigator-answer';

const record = {
  model: 'm',
  startedAt: '2026-03-01T10:00:00.000Z',
  ms: 1,
  requestHash: null,
  rawHash: null,
  usage: null,
  finishReason: 'stop',
};
const said = (value: unknown): ChatOutcome => ({
  kind: 'TEXT',
  text: typeof value === 'string' ? value : JSON.stringify(value),
  record,
});
const read = (outcome: ChatOutcome, mode: InvestigatorMode, promptVersion: InvestigationPrompt) =>
  investigatorResultOf(outcome, { mode, promptVersion, draftBytesMax: 20 }, async (draft) => ({
    sha256: 'a'.repeat(64),
    bytes: draft.length,
    inline: draft,
  }));
const turn = (next: unknown) => ({ findings: [], assessment: null, next });
const research = (over: Record<string, unknown> = {}) =>
  turn({ kind: 'research', actions: [{ tool: 'search_logs', arguments: { b: 1, a: 2 }, ...over }] });
const expecting = { expectedIfTrue: 'errors', expectedIfFalse: 'none' };
const request = turn({ kind: 'request_diagnosis', reason: 'r', countercheck_refs: ['f1-0'] });

describe('what an investigator answered', () => {
  it('arguments become their canonical text, and the wire’s names the contract’s', async () => {
    expect(await read(said(research(expecting)), 'INVESTIGATE', 'investigation_v3')).toMatchObject({
      kind: 'TURN',
      turn: { next: { kind: 'research', actions: [{ argumentsText: '{"a":2,"b":1}', ...expecting }] } },
    });
    expect(await read(said(request), 'INVESTIGATE', 'investigation_v3')).toMatchObject({
      turn: { next: { kind: 'request_diagnosis', countercheckRefs: ['f1-0'] } },
    });
  });

  const without: InvestigationPrompt[] = ['investigation_v1', 'investigation_project_v2'];
  it.each(InvestigationPrompt.options)('E2 %s is parsed as what it asked for', async (version) => {
    const asked = await read(said(request), 'INVESTIGATE', version);
    expect(asked.kind).toBe(without.includes(version) ? 'FAILED' : 'TURN');
    const bare = await read(said(research()), 'INVESTIGATE', version);
    const expectsWords = version === 'investigation_v3' || version === 'investigation_project_v4';
    if (expectsWords) expect(bare).toMatchObject({ kind: 'FAILED', failure: 'INVALID_RESPONSE' });
    else expect(bare).toMatchObject({ turn: { next: { actions: [{ expectedIfTrue: 'not stated' }] } } });
  });

  it.each<[string, ChatOutcome, InvestigatorMode]>([
    ['prose', said('I think it is the database.'), 'INVESTIGATE'],
    ['a key that nobody knows', said({ ...turn({ kind: 'assess' }), thoughts: 'x' }), 'INVESTIGATE'],
    ['a next that does not exist', said(turn({ kind: 'fix_it' })), 'INVESTIGATE'],
    [
      'a rating in per cent',
      said({ ...turn({ kind: 'assess' }), assessment: { confidence: '80%', text: 'x' } }),
      'INVESTIGATE',
    ],
    ['hypotheses in a turn', said({ hypotheses: [] }), 'INVESTIGATE'],
    ['a turn in place of hypotheses', said(turn({ kind: 'assess' })), 'FORM'],
    [
      'a call of a tool',
      { kind: 'TOOL_CALLS', calls: [], providerState: null, record } as unknown as ChatOutcome,
      'PREPARE',
    ],
  ])('%s is no answer', async (_, outcome, mode) => {
    expect(await read(outcome, mode, 'investigation_v3')).toMatchObject({
      kind: 'FAILED',
      failure: 'INVALID_RESPONSE',
    });
  });

  const raw = (args: string) =>
    `{"findings":[],"assessment":null,"next":{"kind":"research","actions":[{"tool":"search_logs","arguments":${args},"expectedIfTrue":"a","expectedIfFalse":"b"}]}}`;
  it.each([
    ['a number beyond all numbers', raw('{"limit":1e999}')],
    ['arguments deeper than anything means', raw(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)],
    ['more than a turn has to say', raw(JSON.stringify({ a: 'x'.repeat(200_000) }))],
  ])('%s is a typed failure, and nothing that throws after the call', async (_, text) => {
    expect(await read(said(text), 'INVESTIGATE', 'investigation_v3')).toMatchObject({
      kind: 'FAILED',
      failure: 'INVALID_RESPONSE',
    });
  });

  it('what is no text, and what no database keeps, does not get into facts', async () => {
    const text = raw('{"service":"a\\u0000b\\ud800"}').replace('"a"', '"e\\udfff"');
    expect(await read(said(text), 'INVESTIGATE', 'investigation_v3')).toMatchObject({
      turn: { next: { actions: [{ argumentsText: '{"service":"ab\ufffd"}', expectedIfTrue: 'e\ufffd' }] } },
    });
  });

  it('a draft is kept as it is, for the EvidenceGuard to judge, and one over its bound is none', async () => {
    expect(await read(said('{"a":1}'), 'DIAGNOSE', 'investigation_v3')).toMatchObject({
      kind: 'DRAFT',
      draft: { inline: '{"a":1}' },
    });
    expect(await read(said('x'.repeat(21)), 'DIAGNOSE', 'investigation_v3')).toMatchObject({
      failure: 'LENGTH',
    });
  });

  it('a failed attempt stays what it was', async () => {
    const failed = { kind: 'FAILED', failure: 'TIMEOUT', retryAfterMs: null, record } as const;
    expect(await read(failed, 'FORM', 'investigation_v3')).toEqual(failed);
  });

  it.each(InvestigationPrompt.options)('%s has a schema for each mode', (version) => {
    for (const mode of ['FORM', 'INVESTIGATE', 'PREPARE', 'DIAGNOSE', 'REPAIR'] as const)
      expect(investigatorSchema(mode, version).schema).toMatchObject({ type: 'object' });
  });
});

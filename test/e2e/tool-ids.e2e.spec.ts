import { toolResult } from '@inquest/contracts/tool-facts';
import type { RunView } from '@inquest/contracts/run-view';
import { calls, type CallSpec } from '@inquest/testing/scripted-model';
import { documentsOf } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };

/** Calls of each turn as the provider writes them; a turn is told apart by its step. */
const proposing =
  (...turns: CallSpec[][]) =>
  (the: TheStack): void =>
    the.play({
      intercept: (role, _, { turn }) => {
        const wanted = role === 'agent' ? turns[turn - 1] : undefined;
        return wanted && calls(...wanted);
      },
    });

const search = (id: unknown, contains: string): CallSpec => ({
  id,
  name: 'search_logs',
  arguments: JSON.stringify({ contains }),
});

const rejections = async (the: TheStack, { runId }: RunView): Promise<string[]> =>
  (await the.log.eventsOf(runId, 'ToolActionRejected')).map(
    ({ turn, index, reason }) => `${turn}.${index} ${reason}`,
  );

describe('H2 strict: the provider’s tool_call_id as it is', () => {
  let the: TheStack;
  beforeAll(async () => {
    the = await startTheStack();
  });
  afterAll(() => the?.stop());

  it('rejects missing, malformed, repeated and reused ids, and runs what is left', async () => {
    proposing(
      [
        search('first', 'checkout'),
        search('first', 'payments'),
        search(undefined, 'a'),
        search('', 'b'),
        search('has space', 'c'),
        search(7, 'd'),
      ],
      [search('first', 'catalog'), search('second', 'order')],
    )(the);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('SUCCESS');
    expect(await rejections(the, view)).toEqual([
      '1.1 REPEATED_ID',
      '1.2 MISSING_ID',
      '1.3 MISSING_ID',
      '1.4 MALFORMED_ID',
      expect.stringMatching(/^1\.5 (MISSING|MALFORMED)_ID$/),
      '2.0 REUSED_ID',
    ]);
    expect(view.coverage.map(({ toolCallId }) => toolCallId)).toEqual(['first', 'second']);
    expect(view.toolCalls).toBe(2);
  });

  it('keeps the first record of an id byte for byte, whatever is proposed under it later', async () => {
    const kept: unknown[] = [];
    the.play({
      intercept: async (role, { key }, { turn }) => {
        if (role !== 'agent') return undefined;
        if (turn === 1) return calls(search('only', 'the first'));
        kept.push(await the.log.result(key.split('/')[0] ?? '', 'tool', 't1-tool0-a1'));
        return turn === 2 ? calls(search('only', 'the second'), search('other', 'checkout')) : undefined;
      },
    });
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('SUCCESS');
    const now = await the.log.result(view.runId, 'tool', 't1-tool0-a1');
    expect(kept).toEqual([now, now]);
    expect(await the.api.evidence(view.runId, 'only')).toMatchObject({
      arguments: { contains: 'the first' },
    });
    const actions = await the.log.eventsOf(view.runId, 'ToolActionAccepted');
    expect(actions.map(({ toolCallId, step }) => [toolCallId, step])).toEqual([
      ['only', 't1-tool0-a1'],
      ['other', 't2-tool0-a1'],
    ]);
  });

  it('tells the model which of its actions were rejected, and why', async () => {
    proposing([search('same', 'a'), search('same', 'b')])(the);
    const view = await the.api.askAndEnd(SOURCE);
    const second = the.requestsOf(view.runId).find(({ key }) => key.endsWith('/t2-model0-a1'));
    expect(second && documentsOf(second).at(-1)).toEqual({
      kind: 'rejected',
      actions: [{ index: 1, reason: 'REPEATED_ID' }],
    });
  });

  it('ends as TOOL_IDS_UNUSABLE after the third turn with unusable ids, with no text and no ledger', async () => {
    proposing(
      [search(undefined, 'a')],
      [search('no good', 'b')],
      [search('x'.repeat(129), 'c')],
      [search('fine', 'd')],
    )(the);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view).toMatchObject({ outcome: 'FAILED', failure: { reason: 'TOOL_IDS_UNUSABLE' }, coverage: [] });
    expect(view).not.toHaveProperty('report');
    expect(the.requestsOf(view.runId).map(({ key }) => key.split('/')[1])).toEqual([
      't0-router0-a1',
      't1-model0-a1',
      't2-model0-a1',
      't3-model0-a1',
    ]);
  });
});

describe('H2 mint: ids of our own, a function of turn and index', () => {
  let the: TheStack;
  beforeAll(async () => {
    the = await startTheStack({ env: { TOOL_CALL_IDS: 'mint' } });
  });
  afterAll(() => the?.stop());

  it('mints tc-<turn>-<index> where a provider numbers each response anew, and keeps its ids beside them', async () => {
    proposing([search('call_0', 'a'), search('call_1', 'b')], [search('call_0', 'c')])(the);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('SUCCESS');
    expect(view.coverage.map(({ toolCallId }) => toolCallId)).toEqual(['tc-1-0', 'tc-1-1', 'tc-2-0']);
    const entry = await the.log.resultData(toolResult, view.runId, 'tool', 't2-tool0-a1');
    expect(entry).toMatchObject({ toolCallId: 'tc-2-0', providerId: 'call_0' });
    const last = the
      .requestsOf(view.runId)
      .findLast(({ body }) => body.messages.some(({ role }) => role === 'tool'));
    expect(last?.body.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual([
      'tc-1-0',
      'tc-1-1',
      'tc-2-0',
    ]);
  });

  it('makes no id usable that is missing, malformed or repeated within a response', async () => {
    proposing([search('one', 'a'), search('one', 'b'), search(undefined, 'c'), search('has space', 'd')])(
      the,
    );
    const view = await the.api.askAndEnd(SOURCE);
    expect(await rejections(the, view)).toHaveLength(3);
    expect(view.coverage.map(({ toolCallId }) => toolCallId)).toEqual(['tc-1-0']);
  });

  it('freezes the mode on the run', async () => {
    const view = await the.api.askAndEnd(SOURCE);
    expect(await the.log.eventsOf(view.runId, 'RunStarted')).toMatchObject([{ idMode: 'mint' }]);
  });
});

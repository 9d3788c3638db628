import type { InvestigatorRequested } from '@inquest/contracts/case-facts';
import { caseTranscript, EVIDENCE_BYTES_MAX, type CaseEvidence } from './case-transcript';

const THIRD = Math.floor(EVIDENCE_BYTES_MAX / 3);

const action = (n: number, hypothesisId: string, state = 'settled') => ({
  toolCallId: `tc-${n}-0`,
  hypothesisId,
  tool: 'search_logs',
  argumentsText: '{}',
  expectedIfTrue: 'a',
  expectedIfFalse: 'b',
  service: 'tool',
  step: `t${n}-act0-a1`,
  state,
  contentHash: null,
});
const citing = (toolCallId: string, cell: string) => ({
  id: 'f2-0',
  text: 'seen',
  toolCallIds: [toolCallId],
  cells: [{ hypothesisId: 'h1', cell }],
});
const REQUEST = {
  mode: 'INVESTIGATE',
  promptVersion: 'investigation_v3',
  turn: 6,
  hypothesisId: 'h1',
  leading: null,
  hypotheses: [],
  findings: [],
  actions: [action(1, 'h1'), action(2, 'h2'), action(3, 'h2'), action(4, 'h1'), action(5, 'h2')],
  repair: null,
} as unknown as InvestigatorRequested;
const evidenceOf = (bytes: number) =>
  new Map(
    REQUEST.actions.map(({ toolCallId }): [string, CaseEvidence] => [
      toolCallId,
      { entry: { toolCallId } as CaseEvidence['entry'], projection: 'x'.repeat(bytes) },
    ]),
  );
/** Of which calls the transcript holds the projection, and of which the meta alone. */
const toldOf = (over: Partial<InvestigatorRequested>, bytes: number) => {
  const tools = caseTranscript({ ...REQUEST, ...over }, evidenceOf(bytes), null).filter(
    ({ role }) => role === 'tool',
  );
  const read = tools.map(
    ({ content }) => JSON.parse(content ?? '') as { meta: { toolCallId: string }; projection: string | null },
  );
  const idsOf = (has: boolean) =>
    read.filter(({ projection }) => (projection !== null) === has).map(({ meta }) => meta.toolCallId);
  return { whole: idsOf(true), meta: idsOf(false) };
};

describe('the context of a turn', () => {
  it('holds all evidence of the case in the order of its reservation, whoever asked for it', () => {
    expect(toldOf({}, 10)).toEqual({
      whole: ['tc-1-0', 'tc-2-0', 'tc-3-0', 'tc-4-0', 'tc-5-0'],
      meta: [],
    });
  });

  it('tells nothing of an action that has not returned', () => {
    const actions = [action(1, 'h1', 'reserved'), action(2, 'h1', 'released'), action(3, 'h1')] as never;
    expect(toldOf({ actions }, 10).whole).toEqual(['tc-3-0']);
  });

  it('over its bound first leaves out the oldest of what the turn is not about, each with its meta', () => {
    expect(toldOf({}, THIRD)).toEqual({
      whole: ['tc-1-0', 'tc-4-0', 'tc-5-0'],
      meta: ['tc-2-0', 'tc-3-0'],
    });
    expect(toldOf({}, 2 * THIRD)).toEqual({
      whole: ['tc-4-0'],
      meta: ['tc-1-0', 'tc-2-0', 'tc-3-0', 'tc-5-0'],
    });
  });

  it.each([
    ['consistent', ['tc-2-0', 'tc-1-0', 'tc-4-0']],
    ['inconsistent', ['tc-2-0', 'tc-1-0', 'tc-4-0']],
    ['neutral', ['tc-1-0', 'tc-4-0', 'tc-5-0']],
  ])('counts another’s result that a finding calls %s as what the turn is about', (cell, whole) => {
    expect(toldOf({ findings: [citing('tc-2-0', cell)] as never }, THIRD).whole.sort()).toEqual(whole.sort());
  });

  it('of a final diagnosis is about the hypothesis that leads', () => {
    const final = { mode: 'DIAGNOSE', hypothesisId: null, leading: 'h2' } as never;
    expect(toldOf(final, THIRD).whole).toEqual(['tc-2-0', 'tc-3-0', 'tc-5-0']);
  });

  it('leaves out nothing at its bound exactly', () => {
    const actions = REQUEST.actions.slice(0, 2);
    expect(toldOf({ actions }, EVIDENCE_BYTES_MAX / 2).meta).toEqual([]);
    expect(toldOf({ actions }, EVIDENCE_BYTES_MAX / 2 + 1).meta).toEqual(['tc-2-0']);
  });
});

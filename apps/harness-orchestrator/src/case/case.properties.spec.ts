import fc from 'fast-check';
import type { CaseEvent } from '@inquest/contracts/case-decision';
import type { Confidence, InvestigationPolicy } from '@inquest/contracts/case-parts';
import { isTerminalCaseEvent } from '@inquest/contracts/case-decision';
import { caseDecision } from '@inquest/contracts/case-decision';
import type { ToolCallId } from '@inquest/contracts/ids';
import { failed, judged, rejectedDraft } from '../run/run.fixtures';
import { caseRequestOf } from './case-requests';
import { caseDecider } from './case.decider';
import {
  CaseUnderTest,
  evaluated,
  finding,
  formed,
  proofAccepted,
  requestDiagnosis,
  research,
  turn,
} from './case.fixtures';
import type { Case, OpenCaseStep, Phase } from './case.state';

const POLICY: Partial<InvestigationPolicy> = {
  actionsPerHypothesis: 3,
  actionsTotalMax: 7,
  actionsPerTurnMax: 2,
  turnsMax: 14,
  maxInvalidResponses: 1,
  maxEarlyReviews: 2,
  wallClockMs: 3_600_000,
};

/** One thing that may happen; numbers choose among what is open and how it is answered. */
type Move = { kind: 'answer' | 'wait' | 'cancel' | 'poison'; which: number; how: number; more: number };
const move = fc.record<Move>({
  kind: fc.oneof(
    { weight: 60, arbitrary: fc.constant('answer' as const) },
    { weight: 3, arbitrary: fc.constant('wait' as const) },
    { weight: 1, arbitrary: fc.constantFrom('cancel' as const, 'poison' as const) },
  ),
  which: fc.nat(20),
  how: fc.nat(40),
  more: fc.nat(40),
});

const CONFIDENCES = [
  'weakly_supported',
  'supported',
  'strongly_supported',
  'contradicted',
  'refuted',
] as const;
const CELLS = ['consistent', 'inconsistent', 'neutral'] as const;

const answerTurn = (c: CaseUnderTest, open: OpenCaseStep, { how, more }: Move) => {
  const settled = c.case.actions.filter(({ state }) => state === 'settled');
  const cited = settled[more % Math.max(1, settled.length)]?.toolCallId ?? ('tc-9-9' as ToolCallId);
  // Most requests are well founded, else hardly any sequence would see a review.
  const asks = [3, 4].includes(how % 7) && more % 4 !== 0;
  const findings =
    how % 3 === 0 && !asks
      ? []
      : [
          finding(cited, {
            h2: CELLS[how % 3] ?? 'neutral',
            h1: 'inconsistent',
            [open.hypothesisId ?? 'h1']: asks ? 'consistent' : (CELLS[more % 3] ?? 'neutral'),
          }),
        ];
  const confidence = (asks ? 'strongly_supported' : CONFIDENCES[more % 5]) as Exclude<
    Confidence,
    'unassessed'
  >;
  const next = [
    research(1 + (more % 3)),
    { kind: 'assess' as const },
    { kind: 'conclude' as const },
    requestDiagnosis(`f${c.case.turn}-0`),
    requestDiagnosis(`f${c.case.turn}-0`),
    { kind: 'defer' as const, reason: 'r' },
    { kind: 'reject' as const, reason: 'r' },
  ][how % 7];
  return turn(next ?? { kind: 'assess' }, { findings, confidence });
};

/** Mostly an evaluation that accepts what was asked for, over evidence of the case. */
const evaluationOf = (c: CaseUnderTest, open: OpenCaseStep, { how }: Move) => {
  const requested = c.case.reviews.find(({ state }) => state === 'building')?.hypothesisId ?? null;
  const seen = c.case.actions.find(({ evidenceStatus }) => evidenceStatus === 'EVIDENCE_FOUND');
  const toolCallId = seen?.toolCallId ?? ('tc-9-9' as ToolCallId);
  return evaluated(open.pass ?? 1, {
    hypothesisId: how % 3 === 0 ? null : requested,
    ratings: c.case.hypotheses.map(({ id }) => ({
      hypothesisId: id,
      confidence: 'strongly_supported',
      text: '',
    })),
    directEvidence: [{ toolCallId, quote: 'seen' }],
    countercheck: { adequate: true, toolCallIds: [toolCallId], text: '' },
  });
};

const FAILURES = ['INVALID_RESPONSE', 'TRANSPORT', 'ATTEMPT_LOST', 'TIMEOUT'] as const;

const answer = (c: CaseUnderTest, open: OpenCaseStep, m: Move): void => {
  if (m.how % 11 === 10 && open.kind !== 'act' && open.kind !== 'proof') {
    const result = failed(FAILURES[m.more % 4] ?? 'TIMEOUT') as never;
    c.takeAt(open.step, { service: open.service, result } as never);
    return;
  }
  switch (open.kind) {
    case 'form':
      c.form(formed(m.more % 8 === 0 ? 1 : 3));
      return;
    case 'turn':
      c.turn(answerTurn(c, open, m));
      return;
    case 'act':
      c.act(m.how % 4 === 0 ? { contentHash: 'c'.repeat(64) } : {});
      return;
    case 'review':
      c.evaluate(evaluationOf(c, open, m));
      return;
    case 'final':
    case 'refine':
      c.final(open.kind);
      return;
    case 'proof':
      c.prove(m.how % 3 === 0 ? rejectedDraft() : proofAccepted());
      return;
    case 'verdict':
      c.judge(judged(m.how % 3 === 0 ? 'UNSUPPORTED' : 'SUPPORTED'));
  }
};

const perform = (c: CaseUnderTest, m: Move): void => {
  if (m.kind === 'cancel') c.decide({ type: 'TakeCancel', cause: 'PERSON' });
  else if (m.kind === 'poison' && m.how === 0) c.decide({ type: 'SetAsidePoison' });
  else if (m.kind === 'wait') c.at(c.nowMs - Date.parse(c.case.opened.asOf) + 130_000);
  else {
    const open = c.case.open[m.which % Math.max(1, c.case.open.length)];
    if (open !== undefined) answer(c, open, m);
  }
  if (c.case.sealed !== null && c.case.ended === null) c.finish();
};

const REVERSE: Readonly<Record<Phase, number>> = {
  FORMING_HYPOTHESES: 0,
  INVESTIGATING_HYPOTHESES: 1,
  BUILDING_DIAGNOSIS: 2,
};

const reservedOf = (c: Case, id: string): number =>
  c.actions.filter((a) => a.hypothesisId === id && a.state === 'reserved').length;

/** What holds after every event, whatever has happened. */
const check = (before: Case, event: CaseEvent, now: Case): void => {
  if (REVERSE[now.phase] < REVERSE[before.phase]) {
    // E9: the sole way back, by the decline of the request that led there.
    expect(before.phase).toBe('BUILDING_DIAGNOSIS');
    expect(event).toMatchObject({ type: 'EarlyDiagnosisDeclined', review: before.building?.review });
    expect(before.building?.review).not.toBeNull();
  }
  const { actionsPerHypothesis = 0, actionsTotalMax = 0, maxEarlyReviews = 0 } = POLICY;
  for (const h of now.hypotheses) {
    expect(h.reserved).toBe(reservedOf(now, h.id));
    expect(h.reserved + h.spent).toBeLessThanOrEqual(actionsPerHypothesis);
  }
  expect(now.actions.filter(({ state }) => state !== 'released').length).toBeLessThanOrEqual(actionsTotalMax);
  expect(now.reviews.length).toBeLessThanOrEqual(maxEarlyReviews);
  // E5: nothing is under way while a diagnosis is built, and nothing new is reserved while it is prepared.
  if (now.phase === 'BUILDING_DIAGNOSIS' && now.building?.review !== null)
    expect(now.actions.some(({ state }) => state === 'reserved')).toBe(false);
  if (event.type === 'ActionReserved')
    expect(before.reviews.some(({ state }) => state === 'preparing')).toBe(false);
  if (event.type === 'DiagnosisCompleted') expect(before.building?.accepted).not.toBeNull();
};

const checkAll = (events: readonly CaseEvent[]): Case => {
  let state = caseDecider.initialState();
  for (const event of events) {
    const before = state;
    state = caseDecider.evolve(state, event);
    if (before.status === 'STARTED' && state.status === 'STARTED') check(before.case, event, state.case);
  }
  if (state.status !== 'STARTED') throw new Error('no case');
  return state.case;
};

describe('a case under any sequence of what may reach it', () => {
  it('E5 E9 E12 has one way back, keeps its budgets and limits, and settles or releases every reservation', () => {
    const seen = { declined: 0, accepted: 0, diagnosed: 0 };
    fc.assert(
      fc.property(fc.array(move, { minLength: 20, maxLength: 160 }), (moves) => {
        const c = new CaseUnderTest({ policy: POLICY });
        for (const m of moves) {
          if (c.case.ended !== null) break;
          perform(c, m);
          // Whatever is asked for can be written, and is written under its contract.
          for (const open of c.case.open) {
            const { contract, data } = caseRequestOf(c.case, open);
            expect(contract.schema.safeParse(data)).toMatchObject({ success: true });
          }
          const entry = { n: 0, prevSeq: 0, took: [], at: '2026-03-01T10:00:00.000Z', events: c.last };
          if (c.last.length > 0)
            expect(caseDecision.schema.safeParse(entry)).toMatchObject({ success: true });
        }
        // Left alone, time ends it.
        for (let i = 1; i <= 60 && c.case.ended === null; i += 1) {
          c.at(i * 130_000);
          if (c.case.sealed !== null && c.case.ended === null) c.finish();
        }
        const end = checkAll(c.events);
        expect(c.events.filter(isTerminalCaseEvent)).toHaveLength(1);
        expect(end.actions.some(({ state }) => state === 'reserved')).toBe(false);
        seen.declined += c.of('EarlyDiagnosisDeclined').length;
        seen.accepted += c.of('EarlyReviewAccepted').length;
        seen.diagnosed += c.of('CaseDiagnosed').length;
      }),
      { numRuns: 600, seed: 20_261_201 },
    );
    // The sequences get to where the properties are about something.
    expect(seen.declined).toBeGreaterThan(20);
    expect(seen.accepted).toBeGreaterThan(5);
    expect(seen.diagnosed).toBeGreaterThan(5);
  });
});

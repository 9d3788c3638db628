import { CaseEvent } from '@inquest/contracts/case-decision';
import { Confidence } from '@inquest/contracts/case-parts';
import { CaseView } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import {
  acceptedEarly,
  cancelledAtTheEnd,
  declinedThenAccepted,
  diagnosedAtEnd,
  failedToForm,
  noCauseEstablished,
  PLAYED_REPORT,
  PLAYED_REPORT_HASH,
  withheld,
  type PlayedCase,
} from '@inquest/testing/played-case';
import {
  caseRequest,
  CITED_CALL,
  declined,
  H1,
  H2,
  PLAYED_AT,
  researched,
  UNCITED_CALL,
  underReview,
} from '@inquest/testing/played-case-events';
import { z } from 'zod';
import { withReport } from './complete-case';
import { foldCase, foldCaseEntry } from './fold-case';
import { receivedCase, type CaseEntry } from './folded-case';

const CASE = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;

const entriesOf = (entries: CaseEvent[][]): CaseEntry[] =>
  entries.map((events, n) => ({
    seq: 10 + n,
    decision: { n, prevSeq: n === 0 ? 0 : 9 + n, took: [], at: PLAYED_AT, events },
  }));
const play = ({ request, entries }: Pick<PlayedCase, 'request' | 'entries'>) =>
  foldCase(request, entriesOf(entries));
const at = (entries: CaseEvent[][]) => play({ request: caseRequest(CASE), entries });

const PLAYS: [string, (id: RunId) => PlayedCase][] = [
  ['accepted early', acceptedEarly],
  ['declined, then accepted', declinedThenAccepted],
  ['diagnosed at the end of all accounts', diagnosedAtEnd],
  ['no cause established', noCauseEstablished],
  ['withheld', withheld],
  ['failed to form', failedToForm],
  ['cancelled at the end', cancelledAtTheEnd],
];

/** Every view that a person could be shown on the way of every play. */
const everyView = (): CaseView[] =>
  PLAYS.flatMap(([, made]) => {
    const { request, entries } = made(CASE);
    return entriesOf(entries).map((_, n, all) => foldCase(request, all.slice(0, n + 1)).view);
  });

describe('The fold of a case', () => {
  it.each(PLAYS)(
    '%s: is a view of the contract after every entry, and the same folded one by one',
    (_, made) => {
      const { request, entries } = made(CASE);
      const all = entriesOf(entries);
      let state = receivedCase(request);
      for (const [n, entry] of all.entries()) {
        state = foldCaseEntry(state, entry);
        expect(CaseView.parse(state.view)).toEqual(foldCase(request, all.slice(0, n + 1)).view);
      }
    },
  );

  it.each<[string, CaseEvent[][], CaseView['status']]>([
    ['nothing', [], 'OPENED'],
    ['the opening and the request to form', researched(caseRequest(CASE)).slice(0, 1), 'FORMING_HYPOTHESES'],
    ['the hypotheses', researched(caseRequest(CASE)).slice(0, 2), 'INVESTIGATING_HYPOTHESES'],
    [
      'a request that is prepared',
      [...researched(caseRequest(CASE)), ...underReview(1).slice(0, 2)],
      'INVESTIGATING_HYPOTHESES',
    ],
    ['the start of building', [...researched(caseRequest(CASE)), ...underReview(1)], 'BUILDING_DIAGNOSIS'],
    ['E9 a decline', [...researched(caseRequest(CASE)), ...declined(1)], 'INVESTIGATING_HYPOTHESES'],
  ])('after %s has that status', (_, entries, status) => {
    expect(at(entries).view).toMatchObject({ status, revision: 1, diagnosis: null });
  });

  it('shows what an action should have shown beside what it did, and how it was read', () => {
    const { view, calls } = at(researched(caseRequest(CASE)));
    expect(view.actions[0]).toMatchObject({
      toolCallId: CITED_CALL,
      state: 'settled',
      expectedIfTrue: 'time-outs in the log',
      expectedIfFalse: 'no time-outs at all',
      found: { status: 'READY', evidenceStatus: 'EVIDENCE_FOUND' },
      readAs: [{ findingId: 'f2-0', cell: 'consistent' }],
    });
    expect(view.actions[1]?.readAs).toEqual([{ findingId: 'f3-0', cell: 'neutral' }]);
    expect(calls.get(UNCITED_CALL)?.settled).not.toBeNull();
  });

  it('keeps accounts by what is reserved, settled and released', () => {
    const entries = researched(caseRequest(CASE));
    const account = (folded: ReturnType<typeof at>, id: string) =>
      folded.view.hypotheses.find((each) => each.id === id)?.account;
    expect(account(at(entries.slice(0, 3)), H1)).toEqual({ state: 'open', budget: 3, reserved: 1, spent: 0 });
    expect(account(at(entries.slice(0, 5)), H1)).toEqual({ state: 'open', budget: 3, reserved: 0, spent: 1 });
    const released = at([
      ...entries.slice(0, 3),
      [{ type: 'ActionReleased', toolCallId: CITED_CALL, hypothesisId: H1, why: 'DEADLINE' }],
    ]);
    expect(account(released, H1)).toEqual({ state: 'open', budget: 3, reserved: 0, spent: 0 });
    expect(released.view.actions[0]).toMatchObject({
      state: 'released',
      releasedBecause: 'DEADLINE',
      found: null,
    });
    expect(released.view.budgets.actions).toEqual({ used: 0, max: 9 });
  });

  it('marks what tells hypotheses apart, in the matrix and as countercheck of a request', () => {
    const { view } = at([...researched(caseRequest(CASE)), ...underReview(1)]);
    expect(view.matrix.map(({ findingId, diagnostic }) => [findingId, diagnostic])).toEqual([
      ['f2-0', true],
      ['f3-0', false],
    ]);
    expect(view.reviews[0]?.counterchecks).toEqual([
      { findingId: 'f2-0', diagnostic: true },
      { findingId: 'f3-0', diagnostic: false },
    ]);
  });

  it('closes accounts with their reason', () => {
    const { hypotheses } = play(diagnosedAtEnd(CASE)).view;
    expect(hypotheses).toMatchObject([
      { account: { state: 'concluded' }, closedBecause: 'CONCLUDED' },
      { account: { state: 'rejected' }, closedBecause: 'Handshakes succeed.' },
    ]);
    const exhausted = at([
      ...researched(caseRequest(CASE)),
      [{ type: 'HypothesisExhausted', hypothesisId: H2, why: 'BUDGET' }],
    ]);
    expect(exhausted.view.hypotheses[1]).toMatchObject({
      confidence: 'unassessed',
      account: { state: 'exhausted' },
      closedBecause: 'BUDGET',
    });
  });

  it('E10 tells each review under its ref, with its passes, its decision and what was left for later', () => {
    const { view } = play(declinedThenAccepted(CASE));
    expect(view.reviews).toMatchObject([
      {
        review: 1,
        ref: 'analysis/diagnosis/0001/early/0001/',
        state: 'declined',
        deferred: [{ hypothesisId: H2, reason: 'Nothing points at certificates so far.' }],
        passes: [{ pass: 1, objection: 'INCONCLUSIVE' }],
        decision: {
          kind: 'DECLINED',
          reason: 'INCONCLUSIVE',
          text: 'The evidence does not tell the pool from the network.',
        },
      },
      {
        review: 2,
        ref: 'analysis/diagnosis/0002/early/0002/',
        state: 'accepted',
        passes: [
          { pass: 1, objection: null },
          { pass: 2, objection: null },
        ],
        decision: { kind: 'ACCEPTED' },
      },
    ]);
    expect(view.diagnosis).toEqual({ ref: 'analysis/diagnosis/0002/', review: 2 });
    expect(view.budgets.earlyReviews).toEqual({ used: 2, max: 3 });
    expect(view.promptVersion).toBe('investigation_v3');
  });

  it('E7 takes no review for accepted before the final validation', () => {
    const { entries } = acceptedEarly(CASE);
    const until = (type: CaseEvent['type']) =>
      at(entries.slice(0, entries.findIndex((events) => events.some((event) => event.type === type)) + 1))
        .view;
    expect(until('EarlyReviewAccepted').reviews[0]).toMatchObject({ state: 'building', decision: null });
    expect(until('DiagnosisCompleted').reviews[0]).toMatchObject({ state: 'accepted' });
  });

  it('E8 E10 both paths end in the same released bytes and the same kind of diagnosis', () => {
    for (const made of [acceptedEarly, diagnosedAtEnd]) {
      const folded = play(made(CASE));
      expect(folded.release).toMatchObject({ reportHash: PLAYED_REPORT_HASH });
      expect(folded.view).toMatchObject({ status: 'DIAGNOSED', reportHash: PLAYED_REPORT_HASH });
      const { report, changeRequest } = withReport(folded.view, PLAYED_REPORT, 'somebody');
      expect(report).toEqual(PLAYED_REPORT);
      expect(changeRequest).toMatchObject({ issued: { diagnosis: 'analysis/diagnosis/0001/' } });
    }
  });

  it('a report that establishes nothing is shown, without a change request', () => {
    const folded = play(noCauseEstablished(CASE));
    expect(folded.release).not.toBeNull();
    expect(withReport(folded.view, PLAYED_REPORT, null)).toMatchObject({
      status: 'INCONCLUSIVE',
      inconclusive: { reason: 'NO_CAUSE_ESTABLISHED' },
      fallback: null,
      changeRequest: null,
    });
  });

  it('H6 what was withheld leaves constants and the sources that were in order', () => {
    const folded = play(withheld(CASE));
    expect(folded.release).toBeNull();
    expect(folded.view).toMatchObject({
      status: 'INCONCLUSIVE',
      diagnosis: null,
      snapshotHash: null,
      fallback: { type: 'SEMANTIC_UNSUPPORTED', verifiedSources: [{ toolCallId: CITED_CALL }] },
    });
  });

  it('a failure is its reason in fixed words', () => {
    expect(play(failedToForm(CASE)).view).toMatchObject({
      status: 'FAILED',
      failure: { reason: 'FORMING_FAILED', text: expect.stringContaining('no usable set of hypotheses') },
      budgets: { modelCalls: 1, tokens: { used: 120 } },
      timings: { totalMs: 0 },
    });
  });

  it('H8 a cancelled case releases nothing, however far it was', () => {
    const folded = play(cancelledAtTheEnd(CASE));
    expect(folded.release).toBeNull();
    expect(folded.view).toMatchObject({
      status: 'CANCELLED',
      cancellation: { cause: 'PERSON' },
      diagnosis: null,
      snapshotHash: null,
      building: null,
    });
  });

  it('nothing behind the end changes what people see', () => {
    const { request, entries } = acceptedEarly(CASE);
    const late: CaseEvent = {
      type: 'CaseFailed',
      reason: 'POISONED',
      turns: 9,
      modelCalls: 9,
      actions: 9,
      tokens: 9,
    };
    expect(play({ request, entries: [...entries, [late]] }).view).toEqual(play({ request, entries }).view);
  });

  describe('E14 confidence is a word', () => {
    /** Names under which a rating could be shown as a figure. */
    const RATING = /confiden|probab|likel|score|rating|weight|percent|certain/i;
    const membersOf = (schema: unknown, name = ''): [string, Record<string, unknown>][] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const node = schema as Record<string, unknown>;
      return [
        [name, node],
        ...Object.entries(node).flatMap(([key, value]) =>
          key === 'properties'
            ? Object.entries(value as object).flatMap(([member, inner]) => membersOf(inner, member))
            : membersOf(value, name),
        ),
      ];
    };

    it('in the contract: nothing that rates has room for a number', () => {
      const rated = membersOf(z.toJSONSchema(CaseView, { unrepresentable: 'any' })).filter(([name]) =>
        RATING.test(name),
      );
      expect(rated.length).toBeGreaterThan(1);
      for (const [name, node] of rated) {
        expect(name).toBe('confidence');
        expect(JSON.stringify(node)).not.toMatch(/"(number|integer)"/);
      }
    });

    it('in every view of every play', () => {
      const ratings: unknown[] = [];
      for (const view of everyView()) {
        JSON.stringify(view, (key, value: unknown) => {
          if (RATING.test(key)) ratings.push(value);
          return value;
        });
      }
      expect(ratings.length).toBeGreaterThan(50);
      for (const rating of ratings) expect(Confidence.nullable().safeParse(rating).success).toBe(true);
    });
  });

  it('is tried with every event that a chain can hold, but for those of calls that came to nothing', () => {
    const played = new Set(
      PLAYS.flatMap(([, made]) =>
        made(CASE)
          .entries.flat()
          .map(({ type }) => type),
      ),
    );
    const rest = CaseEvent.options
      .map((option) => option.shape.type.value)
      .filter((type) => !played.has(type));
    expect(rest.sort()).toEqual([
      'ActionReleased',
      'CaseAttemptFailed',
      'CaseLateResultDiscarded',
      'CaseStepTimedOut',
      'FinalEvidenceRejected',
      'HypothesisExhausted',
    ]);
  });
});

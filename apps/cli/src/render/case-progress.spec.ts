import type { CaseFrame } from '@inquest/contracts/case-frame';
import type { FindingId } from '@inquest/contracts/case-parts';
import type { RunId } from '@inquest/contracts/ids';
import { acceptedEarly, declinedThenAccepted, diagnosedAtEnd } from '@inquest/testing/played-case';
import { CITED_CALL, H1, H2 } from '@inquest/testing/played-case-events';
import { playedView } from '@inquest/testing/played-case-view';
import { advanceCase, needsWords, NO_CASE_PROGRESS, NO_WORDS } from './case-progress';
import { drawLine } from './progress';
import { PLAIN } from './style';

const CASE = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;
const T0 = Date.parse('2026-05-04T09:00:00Z');
const KNOWN = playedView(declinedThenAccepted(CASE));
const SPENT = { turns: 3, actions: 2, modelCalls: 7 };

const frame = <Type extends CaseFrame['type']>(
  type: Type,
  ms: number,
  more: Omit<Extract<CaseFrame, { type: Type }>, 'type' | 'caseId' | 'at'>,
): CaseFrame => ({ type, caseId: CASE, at: new Date(T0 + ms).toISOString(), ...more }) as CaseFrame;

const story = (...frames: CaseFrame[]): string[] => {
  const lines: string[] = [];
  frames.reduce((progress, each) => {
    const next = advanceCase(progress, each, KNOWN);
    if (next.line) lines.push(drawLine(next.line, PLAIN), ...next.line.below.map((text) => `  | ${text}`));
    return next.progress;
  }, NO_CASE_PROGRESS);
  return lines;
};

const requested = (more: Partial<Extract<CaseFrame, { type: 'step.requested' }>>): CaseFrame =>
  frame('step.requested', 0, {
    service: 'investigator',
    step: 't1-turn0-a1',
    kind: 'turn',
    attempt: 1,
    mode: 'INVESTIGATE',
    hypothesisId: H1,
    toolCallId: null,
    pass: null,
    ...more,
  });

describe('live progress of a case', () => {
  it('tells its story with the words that frames do not hold', () => {
    expect(
      story(
        frame('case.opened', 0, {
          promptVersion: 'investigation_v3',
          deadlineAt: '2026-05-04T09:15:00Z',
          turnsMax: 20,
          actionsMax: 9,
          earlyReviewsMax: 3,
        }),
        frame('hypotheses.formed', 500, { hypotheses: [H1, H2] }),
        frame('action.reserved', 600, {
          toolCallId: CITED_CALL,
          hypothesisId: H1,
          tool: 'search_logs',
          turn: 1,
        }),
        frame('action.settled', 1_600, {
          toolCallId: CITED_CALL,
          hypothesisId: H1,
          status: 'READY',
          evidenceStatus: 'EVIDENCE_FOUND',
          errorClass: null,
          truncated: true,
        }),
        frame('turn.assessed', 2_000, {
          turn: 3,
          hypothesisId: H1,
          confidence: 'strongly_supported',
          findings: ['f2-0' as FindingId],
        }),
        frame('review.requested', 2_100, { review: 1, hypothesisId: H1, counterchecks: [], deferred: [H2] }),
        frame('review.pass', 2_500, {
          review: 1,
          pass: 1,
          hypothesisId: null,
          confidence: null,
          objection: 'INCONCLUSIVE',
        }),
        frame('review.declined', 2_600, { review: 1, hypothesisId: H1, reason: 'INCONCLUSIVE' }),
        frame('review.pass', 3_000, {
          review: 2,
          pass: 2,
          hypothesisId: H1,
          confidence: 'strongly_supported',
          objection: null,
        }),
        frame('review.accepted', 3_100, { review: 2, hypothesisId: H1 }),
        frame('outcome.sealed', 3_500, {}),
        frame('case.diagnosed', 3_600, SPENT),
      ),
    ).toEqual([
      '  0.0 s  · case                 investigation_v3, at most 20 turns and 9 actions',
      '  0.5 s  ✓ hypotheses           2 to test',
      '  | h1: The pool is exhausted.',
      '  | h2: A certificate has expired.',
      '  0.6 s  · search_logs          tc-1-0 for h1, turn 1',
      '  1.6 s  ✓ search_logs          READY EVIDENCE_FOUND  tc-1-0 for h1  1.0 s  truncated',
      '  | if it holds: time-outs in the log',
      '  | if it does not: no time-outs at all',
      '  2.0 s  ✓ turn 3               h1 strongly_supported',
      '  | f2-0: Requests time out waiting for a connection.',
      '  2.1 s  · early review 1       asked for h1, h2 left open',
      '  | Nothing else explains the time-outs.',
      '  2.5 s  ✗ early review 1       pass 1 of 2: no cause established, INCONCLUSIVE',
      '  2.6 s  ✗ early review 1       declined: INCONCLUSIVE; the investigation goes on',
      '  | The evidence does not tell the pool from the network.',
      '  3.0 s  ✓ early review 2       pass 2 of 2: h1 strongly_supported, would accept',
      '  3.1 s  ✓ early review 2       both passes accept h1; both guards judge the diagnosis next',
      '  3.6 s  ✓ diagnosed            3 turns, 2 actions, 7 model calls',
    ]);
  });

  it.each<[CaseFrame, string]>([
    [
      frame('prompt.adopted', 0, { from: 'investigation_v1', to: 'investigation_v3' }),
      '· prompt               investigation_v1 -> investigation_v3',
    ],
    [
      frame('response.invalid', 0, {
        namespace: 'analysis/turn/2',
        step: 't2-turn0-a1',
        why: 'NEXT_NOT_PERMITTED',
        count: 1,
      }),
      '! analysis/turn/2      invalid response 1: NEXT_NOT_PERMITTED',
    ],
    [
      frame('action.released', 0, { toolCallId: 'tc-9-0', hypothesisId: H2, why: 'DEADLINE' }),
      '! action               given back (DEADLINE)  tc-9-0 for h2',
    ],
    [
      frame('hypothesis.exhausted', 0, { hypothesisId: H2, why: 'BUDGET' }),
      '! h2                   exhausted (BUDGET)',
    ],
    [
      frame('diagnosis.building', 0, { diagnosis: 1, review: null, leading: null }),
      '· diagnosis            all accounts are closed',
    ],
    [
      frame('semantic.judged', 0, { attempt: 1, outcome: 'FAILED', failure: 'TIMEOUT' }),
      '✗ semantic guard       FAILED  TIMEOUT',
    ],
    [
      frame('case.inconclusive', 0, { reason: 'NO_CAUSE_ESTABLISHED', fallback: null, ...SPENT }),
      '✗ inconclusive         NO_CAUSE_ESTABLISHED, 3 turns, 2 actions, 7 model calls',
    ],
    [
      frame('case.failed', 0, { reason: 'FORMING_FAILED', ...SPENT }),
      '✗ failed               FORMING_FAILED, 3 turns, 2 actions, 7 model calls',
    ],
    [
      frame('case.cancelled', 0, { cause: 'PERSON', ...SPENT }),
      '✗ cancelled            PERSON, 3 turns, 2 actions, 7 model calls',
    ],
  ])('%#: has a line', (each, line) => expect(story(each)[0]?.slice(9)).toBe(line));

  it('knows what is being waited for', () => {
    const waiting = (...frames: CaseFrame[]) =>
      frames.reduce((p, f) => advanceCase(p, f, NO_WORDS).progress, NO_CASE_PROGRESS).waitingFor;
    expect(waiting(requested({ mode: 'FORM', hypothesisId: null }))).toBe('the hypotheses');
    expect(waiting(requested({}))).toBe('the investigator on h1');
    expect(waiting(requested({ mode: 'DIAGNOSE', hypothesisId: null }))).toBe('the diagnosis');
    expect(waiting(requested({ service: 'evaluator', kind: 'review', mode: null, pass: 1 }))).toBe(
      'the evaluator',
    );
  });

  it('asks for words only where it has not got them', () => {
    const reserved = frame('action.reserved', 0, {
      toolCallId: CITED_CALL,
      hypothesisId: H1,
      tool: 'x',
      turn: 1,
    });
    expect(needsWords(reserved, NO_WORDS)).toBe(true);
    expect(needsWords(reserved, KNOWN)).toBe(false);
    const declined = frame('review.declined', 0, { review: 1, hypothesisId: H1, reason: 'INCONCLUSIVE' });
    expect(needsWords(declined, playedView(acceptedEarly(CASE), 8))).toBe(true);
    expect(needsWords(declined, KNOWN)).toBe(false);
    const rejected = frame('hypothesis.rejected', 0, { hypothesisId: H2 });
    expect(needsWords(rejected, KNOWN)).toBe(true);
    expect(needsWords(rejected, playedView(diagnosedAtEnd(CASE)))).toBe(false);
    expect(needsWords(frame('outcome.sealed', 0, {}), NO_WORDS)).toBe(false);
  });
});

import type { RunId } from '@inquest/contracts/ids';
import {
  acceptedEarly,
  cancelledAtTheEnd,
  declinedThenAccepted,
  diagnosedAtEnd,
  failedToForm,
  withheld,
  type PlayedCase,
} from '@inquest/testing/played-case';
import { caseRequest } from '@inquest/testing/played-case-events';
import { playedView } from '@inquest/testing/played-case-view';
import { drawCase, drawReviews } from './case';
import { drawCaseList } from './case-list';
import { PLAIN } from './style';
import { widthOf } from './text';

const CASE = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;
const page = { style: PLAIN, columns: 100, full: true };
const draw = (played: PlayedCase, until?: number): string =>
  drawCase(playedView(played, until), page).join('\n');

describe('the page of a case', () => {
  it('shows the report, the hypotheses in words, actions with what they should have shown, matrix and task', () => {
    expect(drawCase(playedView(acceptedEarly(CASE)), page)).toEqual([
      '',
      'Root cause identified',
      'The pool is exhausted. (a1)',
      '',
      'Cause',
      '   a1  Checkout waits for connections. [1]',
      '',
      'What to change',
      '   r1  Return connections when a request ends. (a1)',
      '',
      'Sources',
      '   [1]  search_logs  READY  EVIDENCE_FOUND  tc-1-0',
      '',
      'Read and not cited',
      '   [2]  search_logs  READY  EVIDENCE_FOUND  tc-2-0',
      '',
      'Hypotheses',
      '   h1  The pool is exhausted.',
      '       strongly_supported · open · 1 of 3 actions',
      '       Every time-out is one of the pool.',
      '   h2  A certificate has expired.',
      '       unassessed · open · 1 of 3 actions',
      '',
      'What was tried, and what it should have shown',
      '   tc-1-0  search_logs for h1',
      '      if it holds     time-outs in the log',
      '      if it does not  no time-outs at all',
      '      found           READY EVIDENCE_FOUND, read as f2-0 consistent',
      '   tc-2-0  search_logs for h2',
      '      if it holds     time-outs in the log',
      '      if it does not  no time-outs at all',
      '      found           READY EVIDENCE_FOUND, read as f3-0 neutral',
      '',
      'Evidence by hypothesis',
      '     h1  h2     finding',
      '     +   -   *  f2-0  Requests time out waiting for a connection.',
      '     o   o      f3-0  Handshakes succeed.',
      '   + consistent  - inconsistent  o neutral  * tells hypotheses apart',
      '',
      'Early reviews',
      '   1  h1  accepted  analysis/diagnosis/0001/early/0001/',
      '      reason of the author: Nothing else explains the time-outs.',
      '      counterchecks: f2-0*, f3-0',
      '      left open: h2 (Nothing points at certificates so far.)',
      '      pass 1: h1 strongly_supported, would accept',
      '      pass 2: h1 strongly_supported, would accept',
      '',
      'Change request',
      '   Coding task for checkout: git.example.org/checkout · v41',
      '   r1  Return connections when a request ends.',
      '   still to be found out: PATH',
      '   a document for somebody who changes code; nothing was carried out',
      '',
      'written by rules-investigation (rules, no language model) · 3 turns, 2 actions, 1 early review, 7 model calls · 0.0 s',
      `both guards passed the report: snapshot sha256 ${playedView(acceptedEarly(CASE)).snapshotHash}`,
      'hypotheses, expectations and findings are the investigator’s own words; no guard has passed them',
      `case ${CASE}`,
      `see it again: npm run -s inquest -- cases show ${CASE}`,
    ]);
  });

  it.each<[string, string, RegExp]>([
    [
      'what is missing for a task',
      draw(acceptedEarly(CASE, caseRequest(CASE, { coordinates: [] }))),
      /COORDINATES \(checkout\): Nobody said where/,
    ],
    [
      'a decline and its reason',
      draw(declinedThenAccepted(CASE)),
      /declined: INCONCLUSIVE[^]*does not tell the pool from the network/,
    ],
    [
      'why accounts are closed',
      draw(diagnosedAtEnd(CASE)),
      /rejected: Handshakes succeed\. · 1 of 3 actions/,
    ],
    ['a withheld draft', draw(withheld(CASE)), /No verified diagnosis/],
    ['a failure', draw(failedToForm(CASE)), /Failed: FORMING_FAILED\nThe model proposed no usable set/],
    ['a cancellation', draw(cancelledAtTheEnd(CASE)), /Cancelled\ncause PERSON/],
    [
      'a case that goes on',
      draw(acceptedEarly(CASE), 3),
      /This case is INVESTIGATING_HYPOTHESES\.[^]*still running/,
    ],
    ['no reviews', drawReviews([], page).join(''), /no early review/],
  ])('tells of %s', (_, text, expected) => expect(text).toMatch(expected));

  it('fits the terminal, and prints nobody else’s control characters', () => {
    const view = playedView(acceptedEarly(CASE));
    const statement = `\u001b[31mred ${'word '.repeat(60)}`;
    const hypotheses = view.hypotheses.map((each) => ({ ...each, statement }));
    const findings = view.findings.map((each) => ({ ...each, text: statement }));
    const lines = drawCase({ ...view, snapshotHash: null, hypotheses, findings }, { ...page, columns: 60 });
    expect(lines.join('')).not.toContain('\u001b');
    const prose = lines.filter((line) => /word/.test(line));
    expect(prose.length).toBeGreaterThan(4);
    for (const line of prose) expect(widthOf(line)).toBeLessThanOrEqual(60);
  });
});

describe('the list of cases', () => {
  it('has a line for each, and says how to open the first', () => {
    expect(drawCaseList([], PLAIN, 80)).toEqual([expect.stringContaining('investigate')]);
    expect(drawCaseList([playedView(failedToForm(CASE))], PLAIN, 80)).toEqual([
      expect.stringMatching(/^case +opened +took +status +source$/),
      `${CASE}  2026-03-01 10:00:00Z  0.0 s  FAILED  shop-pool`,
      '  Why is checkout slow?',
    ]);
  });
});

import { foldRun } from '@inquest/run-view/fold-run';
import type { RunEvent } from '@inquest/contracts/run-decision';
import type { ToolCallId } from '@inquest/contracts/ids';
import {
  accepted,
  AT,
  CALL_ID,
  completedCall,
  failedRun,
  fellBack,
  releasedRun,
  REPORT,
  requested,
  started,
  UNCITED_ID,
} from '../../test/a-run';
import { randomRunId } from '../runs/run-id';
import type { Scope } from '../http/scopes';
import { mayOpen, takenIn } from './evidence-reader';

const RUN = randomRunId();
const fold = (...events: RunEvent[]) =>
  foldRun(requested(RUN), [{ seq: 1, decision: { n: 0, prevSeq: 0, took: [], at: AT, events } }]);
const released = { ...fold(started(RUN), releasedRun(RUN)).view, report: REPORT };

describe('Who may open evidence', () => {
  it.each<[string, Scope, typeof released, string, boolean]>([
    ['a cited call of a released run', 'ask', released, CALL_ID, true],
    ['another call of a released run', 'ask', released, UNCITED_ID, false],
    ['another call of a released run', 'operate', released, UNCITED_ID, true],
    ['another call of a released run', 'audit', released, UNCITED_ID, true],
    ['a cited call of a released run', 'watch', released, CALL_ID, false],
    [
      'a call of a run that fell back',
      'ask',
      fold(started(RUN), fellBack).view as typeof released,
      CALL_ID,
      false,
    ],
    ['a call of a failed run', 'audit', fold(started(RUN), failedRun).view as typeof released, CALL_ID, true],
    ['a call of an erased run', 'audit', { ...released, status: 'ERASED' }, CALL_ID, false],
  ])('%s, with scope %s', (_, scope, view, call, may) => {
    expect(mayOpen(new Set([scope]), view, call)).toBe(may);
  });
});

describe('H8 what can be opened of a call', () => {
  const taken = (...events: RunEvent[]) => takenIn(fold(started(RUN), ...events), CALL_ID) !== undefined;

  it.each<[string, RunEvent[], boolean]>([
    ['that was taken in', [accepted(CALL_ID), completedCall(CALL_ID)], true],
    ['that goes on', [accepted(CALL_ID)], false],
    ['that was never accepted', [completedCall('call_7' as ToolCallId)], false],
    [
      'whose result came too late to be taken in',
      [
        accepted(CALL_ID),
        {
          type: 'LateResultDiscarded',
          service: 'tool',
          step: accepted(CALL_ID).step,
          hash: 'a'.repeat(64),
          usage: null,
        },
      ],
      false,
    ],
    [
      'that its deadline closed',
      [
        accepted(CALL_ID),
        { ...completedCall(CALL_ID), status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'STEP_TIMED_OUT' },
      ],
      false,
    ],
    [
      'that failed',
      [
        accepted(CALL_ID),
        { ...completedCall(CALL_ID), status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'TIMEOUT' },
      ],
      true,
    ],
  ])('%s', (_, events, expected) => expect(taken(...events)).toBe(expected));
});

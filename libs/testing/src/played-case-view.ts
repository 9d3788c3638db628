import type { CaseView } from '@inquest/contracts/case-view';
import { withReport } from '@inquest/run-view/complete-case';
import { foldCase } from '@inquest/run-view/fold-case';
import { PLAYED_AUTHOR, PLAYED_REPORT, type PlayedCase } from './played-case';
import { PLAYED_AT } from './played-case-events';

/** A played case as people see it after so many entries of its chain; whole, with its report, by default. */
export const playedView = ({ request, entries }: PlayedCase, until = entries.length): CaseView => {
  const { view, release } = foldCase(
    request,
    entries.slice(0, until).map((events, n) => ({
      seq: n + 1,
      decision: { n, prevSeq: n, took: [], at: PLAYED_AT, events },
    })),
  );
  return release ? withReport(view, PLAYED_REPORT, PLAYED_AUTHOR) : view;
};

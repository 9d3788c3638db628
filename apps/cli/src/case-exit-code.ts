import type { CaseStatus } from '@inquest/contracts/case-view';
import { ExitCode } from './exit-code';

/** 0 diagnosed, 3 inconclusive, 4 failed, 5 cancelled; a case that goes on has none of its own. */
export const caseExitCode = (status: CaseStatus): ExitCode => {
  switch (status) {
    case 'DIAGNOSED':
      return ExitCode.success;
    case 'INCONCLUSIVE':
      return ExitCode.fallback;
    case 'FAILED':
      return ExitCode.failed;
    case 'CANCELLED':
      return ExitCode.cancelled;
    case 'OPENED':
    case 'FORMING_HYPOTHESES':
    case 'INVESTIGATING_HYPOTHESES':
    case 'BUILDING_DIAGNOSIS':
      return ExitCode.trouble;
  }
};

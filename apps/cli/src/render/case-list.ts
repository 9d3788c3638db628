import type { CaseStatus, CaseSummary } from '@inquest/contracts/case-view';
import { typedCommand } from '@inquest/contracts/typed-command';
import { cut } from './run-list';
import type { Style } from './style';
import { printable, seconds, table } from './text';

const paint = (status: CaseStatus, style: Style): string => {
  switch (status) {
    case 'DIAGNOSED':
      return style.good(status);
    case 'INCONCLUSIVE':
    case 'CANCELLED':
      return style.warn(status);
    case 'FAILED':
      return style.bad(status);
    case 'OPENED':
    case 'FORMING_HYPOTHESES':
    case 'INVESTIGATING_HYPOTHESES':
    case 'BUILDING_DIAGNOSIS':
      return style.accent(status);
  }
};

/** One line per case, newest first as the gateway gives them. */
export const drawCaseList = (cases: readonly CaseSummary[], style: Style, columns: number): string[] => {
  if (cases.length === 0) return [`no cases yet; this opens one: ${typedCommand('investigate "..."')}`];
  const heads = ['case', 'opened', 'took', 'status', 'source'];
  const cells = cases.map(({ caseId, timings, status, source }) => [
    caseId,
    timings.requestedAt.replace(/\.\d+/, '').replace('T', ' '),
    timings.totalMs === null ? '' : seconds(timings.totalMs),
    paint(status, style),
    source ?? '',
  ]);
  return table([heads.map((head) => style.dim(head)), ...cells]).flatMap((line, i) => {
    const each = cases[i - 1];
    return each ? [line, style.dim(`  ${cut(printable(each.question), columns - 4)}`)] : [line];
  });
};

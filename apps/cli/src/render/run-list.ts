import type { RunSummary } from '@inquest/contracts/run-view';
import type { Style } from './style';
import { printable, seconds, table, widthOf } from './text';

export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let kept = '';
  for (const char of text) {
    if (widthOf(kept + char) > width - 1) break;
    kept += char;
  }
  return `${kept}…`;
};

const endOf = (run: RunSummary, style: Style): string => {
  switch (run.outcome) {
    case 'SUCCESS':
      return style.good('SUCCESS');
    case 'FALLBACK':
    case 'CANCELLED':
      return style.warn(run.outcome);
    case 'FAILED':
      return style.bad('FAILED');
    case null:
      return style.accent(run.status);
  }
};

/** One line per run, newest first as the gateway gives them. */
export const drawRunList = (runs: readonly RunSummary[], style: Style, columns: number): string[] => {
  if (runs.length === 0) return ['no runs yet: npm run diagnose makes one'];
  const heads = ['run', 'asked', 'took', 'intent', 'outcome', 'source'];
  const cells = runs.map((run) => [
    run.runId,
    run.timings.requestedAt.replace(/\.\d+/, '').replace('T', ' '),
    run.timings.totalMs === null ? '' : seconds(run.timings.totalMs),
    run.intent ?? '',
    endOf(run, style),
    run.source ?? '',
  ]);
  return table([heads.map((head) => style.dim(head)), ...cells]).flatMap((line, i) => {
    const run = runs[i - 1];
    return run ? [line, style.dim(`  ${cut(printable(run.question), columns - 4)}`)] : [line];
  });
};

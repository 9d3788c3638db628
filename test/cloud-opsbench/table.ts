import { isHit, isInconclusive, isWrongAndConfident, plainObject, type CaseRun, type Score } from './score';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const plain = ({ object, cause }: { object: string; cause: string }): string =>
  `${plainObject(object)} ${cause.toLowerCase()}`;

/** One line of progress: how it ended, and where it was wrong what was answered. */
export const runLine = (run: CaseRun): string => {
  const [first] = run.candidates;
  const mark = isHit(run, 1) ? '✓' : isHit(run, 3) ? '3' : '✗';
  const ending = run.status ?? run.outcome;
  const answer = isHit(run, 1)
    ? plain(run.truth)
    : `${plain(run.truth)}  <>  ${first ? plain(first) : 'no candidate'}`;
  const warning = isWrongAndConfident(run) ? '  (wrong and confident)' : '';
  return `${mark} ${run.name.padEnd(22)} ${ending.padEnd(26)} ${String(Math.round(run.ms)).padStart(6)} ms  ${answer}${warning}`;
};

/** The figures as people read them. */
export const scoreTable = (score: Score, wallMs: number): string[] => {
  const width = Math.max(...['category', ...Object.keys(score.perCategory)].map((name) => name.length)) + 2;
  const line = (name: string, { cases, a1, a3, partialA1 }: Score | Score['perCategory'][string]) =>
    [
      name.padEnd(width),
      String(cases).padStart(5),
      ...[a1, a3, partialA1].map((share) => percent(share).padStart(9)),
    ].join(' ');
  return [
    ['category'.padEnd(width), 'cases', '     A@1', '      A@3', ' partial'].join(' '),
    ...Object.entries(score.perCategory).map(([category, accuracy]) => line(category, accuracy)),
    line('all', score),
    '',
    `outcomes: ${Object.entries(score.outcomes)
      .map(([outcome, share]) => `${outcome} ${percent(share)}`)
      .join(', ')}`,
    `INCONCLUSIVE ${percent(score.inconclusive)}; wrong and confident ${percent(score.wrongConfident)}`,
    `per run: ${score.toolCallsPerRun.toFixed(1)} tool calls, ${score.modelCallsPerRun.toFixed(1)} model calls, ${(score.msPerRun / 1_000).toFixed(1)} s; ${score.runs} runs in ${(wallMs / 1_000).toFixed(0)} s`,
    ...(score.consistency === null
      ? []
      : [`the same first answer in ${percent(score.consistency)} of the pairs of runs of one case`]),
  ];
};

/** The last line of `--json`. */
export const scoreJson = (score: Score, runs: readonly CaseRun[]): string =>
  JSON.stringify({
    ...score,
    wrong: runs
      .filter((run) => !isHit(run, 1))
      .map((run) => ({
        case: run.name,
        outcome: run.outcome,
        status: run.status,
        inconclusive: isInconclusive(run),
        truth: run.truth,
        candidates: run.candidates,
      })),
  });

import type { Cell } from '@inquest/contracts/case-parts';
import { isEndedCase, type ActionView, type CaseView, type ReviewView } from '@inquest/contracts/case-view';
import type { CoverageEntry } from '@inquest/contracts/outcome';
import { typedCommand } from '@inquest/contracts/typed-command';
import { authorText, drawReport, PROSE_MAX, type Page } from './report';
import type { Style } from './style';
import { count, hang, printable, seconds, table, wrap } from './text';

const width = ({ columns }: Page): number => Math.max(40, Math.min(columns, PROSE_MAX));

const section = (title: string, lines: readonly string[], { style }: Page): string[] =>
  lines.length === 0 ? [] : ['', style.bold(style.accent(title)), ...lines];

const hypothesisLines = ({ hypotheses }: CaseView, page: Page): string[] =>
  hypotheses.flatMap(({ id, statement, confidence, account, assessment, closedBecause }) => {
    const { state, spent, reserved, budget } = account;
    const open = reserved === 0 ? '' : `, ${reserved} running`;
    const closed =
      closedBecause === null || closedBecause === 'CONCLUDED' ? '' : `: ${printable(closedBecause)}`;
    return [
      ...hang(`   ${id}  `, printable(statement), width(page)),
      ...hang(
        '       ',
        `${page.style.bold(confidence)} · ${state}${closed} · ${spent} of ${count(budget, 'action')}${open}`,
        width(page),
      ),
      ...(assessment === null ? [] : hang('       ', page.style.dim(printable(assessment)), width(page))),
    ];
  });

const foundText = ({ state, found, releasedBecause }: ActionView): string => {
  if (found)
    return [found.status, found.evidenceStatus, found.errorClass, found.truncated ? 'truncated' : null]
      .filter((part) => part !== null)
      .join(' ');
  return state === 'released' ? `never settled (${releasedBecause ?? ''})` : 'still running';
};

/** Each action with what it should have shown beside what it did. */
const actionLines = ({ actions }: CaseView, page: Page): string[] =>
  actions.flatMap((action) => {
    const { toolCallId, hypothesisId, tool, expectedIfTrue, expectedIfFalse, readAs } = action;
    const read = readAs.map(({ findingId, cell }) => `${findingId} ${cell ?? 'not rated'}`).join(', ');
    const rows = [
      ['if it holds', printable(expectedIfTrue)],
      ['if it does not', printable(expectedIfFalse)],
      ['found', `${foundText(action)}${read === '' ? '' : `, read as ${read}`}`],
    ] as const;
    return [
      `   ${toolCallId}  ${printable(tool)} for ${hypothesisId}`,
      ...rows.flatMap(([name, text]) => hang(`      ${name.padEnd(15)} `, text, width(page))),
    ];
  });

const SIGN: Record<Cell, string> = { consistent: '+', inconsistent: '-', neutral: 'o' };

/** Rows are findings, columns hypotheses; a star marks what tells hypotheses apart. */
const matrixLines = ({ hypotheses, findings, matrix }: CaseView, page: Page): string[] => {
  if (matrix.length === 0) return [];
  const heads = ['   ', ...hypotheses.map(({ id }) => id), '', 'finding'];
  const rows = matrix.map(({ findingId, cells, diagnostic }) => [
    '   ',
    ...hypotheses.map(({ id }) => {
      const cell = cells.find(({ hypothesisId }) => hypothesisId === id)?.cell;
      return cell === undefined ? ' ' : SIGN[cell];
    }),
    diagnostic ? '*' : ' ',
    `${findingId}  ${printable(findings.find(({ id }) => id === findingId)?.text ?? '')}`,
  ]);
  const indent = 8 + hypotheses.length * 4;
  return [
    ...table([heads, ...rows]).flatMap((line) => cutTo(line, page, indent)),
    page.style.dim('   + consistent  - inconsistent  o neutral  * tells hypotheses apart'),
  ];
};

const cutTo = (line: string, page: Page, indent: number): string[] =>
  line.length <= width(page) ? [line] : hang(line.slice(0, indent), line.slice(indent), width(page));

const passText = ({ pass, hypothesisId, confidence, objection }: ReviewView['passes'][number]): string => {
  const seen =
    hypothesisId === null ? 'no cause established' : `${hypothesisId} ${confidence ?? ''}`.trimEnd();
  return `pass ${pass}: ${seen}, ${objection ?? 'would accept'}`;
};

const decisionText = ({ state, decision }: ReviewView, style: Style): string => {
  if (decision?.kind === 'ACCEPTED') return style.good('accepted');
  if (decision?.kind === 'DECLINED') return `${style.bad(`declined: ${decision.reason}`)}`;
  return style.accent(state);
};

const reviewBlock = (view: ReviewView, page: Page): string[] => {
  const { review, ref, hypothesisId, reason, counterchecks, deferred, passes, decision } = view;
  const checks = counterchecks
    .map(({ findingId, diagnostic }) => `${findingId}${diagnostic ? '*' : ''}`)
    .join(', ');
  const left = deferred.map(
    ({ hypothesisId: id, reason: why }) => `${id}${why ? ` (${printable(why)})` : ''}`,
  );
  const rows = [
    `reason of the author: ${printable(reason)}`,
    `counterchecks: ${checks}`,
    ...(left.length === 0 ? [] : [`left open: ${left.join(', ')}`]),
    ...passes.map(passText),
    ...(decision?.kind === 'DECLINED' && decision.text !== '' ? [printable(decision.text)] : []),
  ];
  return [
    `   ${review}  ${hypothesisId}  ${decisionText(view, page.style)}${ref ? page.style.dim(`  ${ref}`) : ''}`,
    ...rows.flatMap((text) => hang('      ', text, width(page))),
  ];
};

/** Early reviews, in the order in which they were asked for. */
export const drawReviews = (reviews: readonly ReviewView[], page: Page): string[] =>
  reviews.length === 0
    ? ['no early review was asked for']
    : reviews.flatMap((review) => reviewBlock(review, page));

const changeLines = ({ changeRequest }: CaseView, page: Page): string[] => {
  if (!changeRequest) return [];
  if (changeRequest.issued === null) {
    return [
      ...hang('   ', 'No coding task is issued. Missing:', width(page)),
      ...changeRequest.missing.flatMap(({ what, service, text }) =>
        hang('   · ', `${what}${service ? ` (${printable(service)})` : ''}: ${text}`, width(page)),
      ),
    ];
  }
  const { target, wanted, unknown } = changeRequest.issued;
  const place = [target.repository, target.path, target.ref].filter((part) => part !== null).map(printable);
  return [
    ...hang('   ', `Coding task for ${printable(target.service)}: ${place.join(' · ')}`, width(page)),
    ...wanted.flatMap(({ id, text }) => hang(`   ${id}  `, printable(text), width(page))),
    ...(unknown.length === 0 ? [] : hang('   ', `still to be found out: ${unknown.join(', ')}`, width(page))),
    page.style.dim('   a document for somebody who changes code; nothing was carried out'),
  ];
};

const coverageOf = ({ actions }: CaseView): CoverageEntry[] =>
  actions.map(({ toolCallId, tool, found }) => ({
    toolCallId,
    tool,
    status: found?.status ?? 'PROJECTING',
    evidenceStatus: found?.evidenceStatus ?? null,
    truncated: found?.truncated ?? false,
  }));

const headLines = (view: CaseView, page: Page): string[] => {
  const { style } = page;
  const { status, inconclusive, fallback, failure, cancellation } = view;
  const told = (title: string, text: string): string[] => ['', style.bold(title), ...wrap(text, width(page))];
  if (fallback) return told(style.warn(fallback.title), fallback.text);
  if (failure) return told(style.bad(`Failed: ${failure.reason}`), failure.text);
  if (status === 'CANCELLED') return told(style.warn('Cancelled'), `cause ${cancellation?.cause ?? ''}`);
  if (inconclusive && !view.report) return told(style.warn('Inconclusive'), inconclusive.text);
  return isEndedCase(status) ? [] : ['', `This case is ${style.accent(status)}.`];
};

const footLines = (view: CaseView, page: Page): string[] => {
  const { style, passing } = page;
  const { budgets, author, timings, snapshotHash, caseId } = view;
  const { turns, actions, earlyReviews, modelCalls } = budgets;
  const facts = [
    author === null ? null : `written by ${authorText(author)}`,
    `${count(turns.used, 'turn')}, ${count(actions.used, 'action')}, ${count(earlyReviews.used, 'early review')}, ${count(modelCalls, 'model call')}`,
    timings.totalMs === null ? null : seconds(timings.totalMs),
  ].filter((part) => part !== null);
  return [
    '',
    style.dim(facts.join(' · ')),
    ...(snapshotHash ? [style.dim(`both guards passed the report: snapshot sha256 ${snapshotHash}`)] : []),
    ...wrap(
      'hypotheses, expectations and findings are the investigator’s own words; no guard has passed them',
      width(page),
    ).map((line) => style.dim(line)),
    style.dim(`case ${caseId}`),
    ...(passing ? [] : [style.dim(`see it again: ${typedCommand(`cases show ${caseId}`)}`)]),
  ];
};

/** The whole page of a case, line by line. */
export const drawCase = (view: CaseView, page: Page): string[] => [
  ...headLines(view, page),
  ...(view.report ? drawReport(view.report, coverageOf(view), page) : []),
  ...section('Hypotheses', hypothesisLines(view, page), page),
  ...section('What was tried, and what it should have shown', actionLines(view, page), page),
  ...section('Evidence by hypothesis', matrixLines(view, page), page),
  ...section('Early reviews', view.reviews.length === 0 ? [] : drawReviews(view.reviews, page), page),
  ...section('Change request', changeLines(view, page), page),
  ...footLines(view, page),
];

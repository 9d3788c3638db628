import type { Analysis, DiagnosisDraft } from '@inquest/contracts/draft';
import type { CoverageEntry } from '@inquest/contracts/outcome';
import type { RunView } from '@inquest/contracts/run-view';
import { typedCommand } from '@inquest/contracts/typed-command';
import type { Style } from './style';
import { count, hang, idRanges, printable, seconds, table, wrap } from './text';

/** How wide prose may become, whatever the terminal's width: longer lines are hard to read. */
export const PROSE_MAX = 100;

/** `full` adds every value and quote that a statement stands on; without it causes show their quotes. */
/** `passing`: the stack ends with the command, so that no later command finds the run. */
export type Page = { style: Style; columns: number; full: boolean; passing?: boolean };

type Draw = Page & { width: number; cite: (toolCallIds: readonly string[]) => string };

const heading = (text: string, { style }: Draw): string[] => ['', style.bold(style.accent(text))];

/** The tool calls that a report cites, in the order in which it first does. */
export const citedSources = (report: DiagnosisDraft | undefined): string[] => [
  ...new Set([
    ...(report?.analyses ?? []).flatMap(({ toolCallIds }) => toolCallIds),
    ...(report?.limitations ?? []).flatMap(({ toolCallIds }) => toolCallIds),
  ]),
];

/** Every tool call, numbered by its place: cited ones first. */
export const numberSources = (cited: readonly string[], coverage: readonly CoverageEntry[]): string[] => [
  ...new Set([...cited, ...coverage.map(({ toolCallId }) => toolCallId)]),
];

const value = (fact: unknown): string => printable(typeof fact === 'string' ? fact : JSON.stringify(fact));

/** What a statement stands on: the values read at a place of a source, and the words quoted from it. */
const grounds = (analysis: Analysis, draw: Draw): string[] => {
  const { style, width, cite, full } = draw;
  const quotes = (analysis.quotes ?? []).map(
    ({ quote, toolCallId }) => `“${printable(quote)}” ${cite([toolCallId])}`,
  );
  const facts = (analysis.facts ?? []).map(
    ({ path, value: stated, unit, toolCallId }) =>
      `${printable(path)} = ${value(stated)}${unit ? ` ${printable(unit)}` : ''} ${cite([toolCallId])}`,
  );
  const derived = (analysis.derived ?? []).map(
    ({ op, value: stated, unit, operands }) =>
      `${op} = ${stated}${unit ? ` ${printable(unit)}` : ''} ${cite(operands.map(({ toolCallId }) => toolCallId))}`,
  );
  const shown = full ? [...facts, ...derived, ...quotes] : analysis.kind === 'CAUSE' ? quotes : [];
  return shown.flatMap((text) => hang('         ', text, width)).map((line) => style.dim(line));
};

const KIND_SECTIONS: readonly { kind: Analysis['kind']; title: string }[] = [
  { kind: 'CAUSE', title: 'Cause' },
  { kind: 'CORRELATION', title: 'What coincides with it' },
  { kind: 'OBSERVATION', title: 'What was seen' },
  { kind: 'NEGATIVE_OBSERVATION', title: 'What was looked for and not found' },
];

const analysisLines = (analysis: Analysis, draw: Draw): string[] => [
  ...hang(
    `${analysis.id.padStart(5)}  `,
    `${printable(analysis.text)} ${draw.cite(analysis.toolCallIds)}`,
    draw.width,
  ),
  ...grounds(analysis, draw),
];

const analysisSections = (analyses: readonly Analysis[], draw: Draw): string[] =>
  KIND_SECTIONS.flatMap(({ kind, title }) => {
    const lines = analyses.filter((each) => each.kind === kind).flatMap((each) => analysisLines(each, draw));
    return section(title, lines, draw);
  });

const itemLines = (
  items: readonly { id: string; text: string; because: string }[],
  { width }: Draw,
): string[] =>
  items.flatMap(({ id, text, because }) =>
    hang(`${id.padStart(5)}  `, `${printable(text)}${because && ` ${because}`}`, width),
  );

const section = (title: string, lines: readonly string[], draw: Draw): string[] =>
  lines.length === 0 ? [] : [...heading(title, draw), ...lines];

const CONCLUSION_TITLE: Record<DiagnosisDraft['conclusion']['status'], string> = {
  ROOT_CAUSE_IDENTIFIED: 'Root cause identified',
  PROBABLE_CAUSE: 'Probable cause',
  INCONCLUSIVE: 'Inconclusive',
  NO_FAULT_FOUND: 'No fault found',
};

const statements = (ids: readonly string[]): string => `(${idRanges(ids)})`;

const reportLines = (report: DiagnosisDraft, draw: Draw): string[] => {
  const { style, width } = draw;
  const { conclusion } = report;
  const plan = ({ id, text, analysisIds }: DiagnosisDraft['actionPlan'][number]) => ({
    id,
    text,
    because: statements(analysisIds),
  });
  const limits = report.limitations.map(({ id, text, toolCallIds }) => ({
    id,
    text,
    because: draw.cite(toolCallIds),
  }));
  return [
    '',
    style.bold(CONCLUSION_TITLE[conclusion.status]),
    ...wrap(`${printable(conclusion.text)} ${statements(conclusion.analysisIds)}`, width),
    ...analysisSections(report.analyses, draw),
    ...section('What to do now', itemLines(report.actionPlan.map(plan), draw), draw),
    ...section('What to change', itemLines(report.recommendations.map(plan), draw), draw),
    ...section('What this does not cover', itemLines(limits, draw), draw),
  ];
};

const paintEvidence = (entry: CoverageEntry, style: Style): string => {
  const text = entry.evidenceStatus ?? '-';
  if (entry.evidenceStatus === 'EVIDENCE_FOUND') return style.good(text);
  return entry.evidenceStatus === 'NO_EVIDENCE' ? style.warn(text) : style.bad(text);
};

const sourceRows = (
  numbered: readonly (readonly [number, string])[],
  coverage: readonly CoverageEntry[],
  { style }: Draw,
): string[] => {
  const byId = new Map(coverage.map((entry) => [entry.toolCallId as string, entry]));
  return table(
    numbered.flatMap(([number, id]) => {
      const entry = byId.get(id);
      if (!entry) return [];
      const cells = [`[${number}]`.padStart(6), entry.tool, entry.status, paintEvidence(entry, style), id];
      return [[...cells, entry.truncated ? style.warn('truncated') : '']];
    }),
  );
};

/** Every tool call stands in one of two lists: none is kept back (coverage). */
const sourceSections = (
  view: Pick<RunView, 'report' | 'coverage'>,
  cited: readonly string[],
  sources: readonly string[],
  draw: Draw,
): string[] => {
  const numbered = sources.map((id, i) => [i + 1, id] as const);
  const of = (list: readonly (readonly [number, string])[]) => sourceRows(list, view.coverage, draw);
  if (!view.report) return section('Tool calls', of(numbered), draw);
  return [
    ...section('Sources', of(numbered.slice(0, cited.length)), draw),
    ...section('Read and not cited', of(numbered.slice(cited.length)), draw),
  ];
};

const answerLines = (answer: NonNullable<RunView['answer']>, draw: Draw): string[] => {
  if (answer.items.length === 0)
    return ['', ...wrap(printable(answer.notFound ?? 'Nothing was found.'), draw.width)];
  const items = answer.items.map(({ id, text, documentIds, toolCallId }) => ({
    id,
    text,
    because: `(${documentIds.map(printable).join(', ')}) ${draw.cite([toolCallId])}`,
  }));
  return section('Answer', itemLines(items, draw), draw);
};

const fallbackLines = (fallback: NonNullable<RunView['fallback']>, draw: Draw): string[] => {
  const sources = fallback.verifiedSources.map(({ toolCallId, tool, service, namespace, window }) => [
    `    ${tool}`,
    toolCallId,
    printable([service, namespace].filter((part) => part !== undefined).join(' in ')),
    window === null ? '' : `${window.from} to ${window.to}`,
  ]);
  return [
    '',
    draw.style.bold(draw.style.warn(fallback.title)),
    ...wrap(fallback.text, draw.width),
    ...section('Verified sources', table(sources), draw),
  ];
};

const bodyLines = (view: RunView, draw: Draw): string[] => {
  if (view.report) return reportLines(view.report, draw);
  if (view.answer) return answerLines(view.answer, draw);
  if (view.fallback) return fallbackLines(view.fallback, draw);
  if (view.reply) return ['', ...wrap(view.reply.text, draw.width)];
  if (view.failure) {
    return [
      '',
      draw.style.bold(draw.style.bad(`Failed: ${view.failure.reason}`)),
      ...wrap(view.failure.text, draw.width),
    ];
  }
  if (view.outcome === 'CANCELLED')
    return ['', draw.style.bold(draw.style.warn('Cancelled')), ...cancelLines(view)];
  return ['', `This run is ${view.status}.`];
};

const cancelLines = ({ cancellation }: RunView): string[] => {
  if (!cancellation) return [];
  const { cause, interrupted, discarded } = cancellation;
  return [
    `cause ${cause}, ${count(interrupted.length, 'step')} interrupted, ${count(discarded.length, 'late result')} discarded`,
    ...table(interrupted.map(({ step, how }) => [`    ${step}`, how])),
  ];
};

/** The offline analyst is rules and no language model, and a reader must know which of both wrote this. */
export const authorText = (author: string): string =>
  author.startsWith('rules-') ? `${author} (rules, no language model)` : printable(author);

const footLines = (view: RunView, { style, full, passing }: Page): string[] => {
  const firstCited = view.report?.analyses[0]?.toolCallIds[0];
  const facts = [
    view.author === null ? null : `written by ${authorText(view.author)}`,
    `${count(view.modelCalls, 'model call')}, ${count(view.toolCalls, 'tool call')}`,
    view.timings.totalMs === null ? null : seconds(view.timings.totalMs),
  ].filter((part) => part !== null);
  return [
    '',
    style.dim(facts.join(' · ')),
    ...(view.snapshotHash
      ? [style.dim(`both guards passed these bytes: snapshot sha256 ${view.snapshotHash}`)]
      : []),
    style.dim(`run ${view.runId}`),
    ...(firstCited && !passing
      ? [style.dim(`open a source: ${typedCommand(`evidence ${view.runId} ${firstCited}`)}`)]
      : []),
    ...(view.report && !full && !passing
      ? [style.dim(`every value and quote: ${typedCommand(`runs show ${view.runId} --full`)}`)]
      : []),
  ];
};

/** `[1]`, `[2][5]`, `[1-4][9]`: from three neighbours on as a range. */
const citation = (numbers: readonly number[]): string =>
  idRanges([...new Set(numbers)].sort((a, b) => a - b).map((number) => `#${number}`))
    .split(', ')
    .map((part) => `[${part.replaceAll('#', '')}]`)
    .join('');

/** Citations are numbers of the list of sources that stands below. */
const drawing = (view: Pick<RunView, 'report' | 'coverage'>, page: Page) => {
  const cited = citedSources(view.report);
  const sources = numberSources(cited, view.coverage);
  const numbers = new Map(sources.map((id, i) => [id, i + 1]));
  const cite = (ids: readonly string[]): string =>
    ids.length === 0 ? '' : page.style.accent(citation(ids.map((id) => numbers.get(id) ?? 0)));
  const draw: Draw = { ...page, width: Math.max(40, Math.min(page.columns, PROSE_MAX)), cite };
  return { cited, sources, draw };
};

/** A released report with the sources that it stands on. */
export const drawReport = (
  report: DiagnosisDraft,
  coverage: readonly CoverageEntry[],
  page: Page,
): string[] => {
  const view = { report, coverage: [...coverage] };
  const { cited, sources, draw } = drawing(view, page);
  return [...reportLines(report, draw), ...sourceSections(view, cited, sources, draw)];
};

/** The whole page of a run that has ended, line by line. */
export const drawRun = (view: RunView, page: Page): string[] => {
  const { cited, sources, draw } = drawing(view, page);
  return [...bodyLines(view, draw), ...sourceSections(view, cited, sources, draw), ...footLines(view, page)];
};

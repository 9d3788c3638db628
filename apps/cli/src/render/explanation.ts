import type {
  DraftVerdict,
  ExplainedItem,
  ExplainedSentence,
  Explanation,
  Ground,
  ReviewAttempt,
} from '@inquest/contracts/explanation';
import type { Page } from './report';
import { count, hang, idRanges, printable, table, wrap } from './text';

const WIDTH_MAX = 110;

/** `cite` numbers a call as the list of sources does; `rule` shortens a rule's name, which the list of rules has in full. */
type Draw = Page & { width: number; cite: (toolCallId: string) => string };

const value = (found: unknown): string =>
  printable(typeof found === 'string' ? found : JSON.stringify(found));
const withUnit = (stated: unknown, unit: string | null): string =>
  `${value(stated)}${unit === null ? '' : ` ${printable(unit)}`}`;

const at = (offset: number | null): string => (offset === null ? '' : ` at character ${offset}`);
const numberOf = (ruleId: string): string => ruleId.split(' ')[0] ?? ruleId;

const place = (path: string, toolCallId: string, { cite }: Draw): string =>
  `${printable(path)} of ${cite(toolCallId)}`;

/** What was read is shown only where it is not what was stated, as where a value was rounded. */
const readAs = (stated: unknown, found: unknown): string =>
  JSON.stringify(stated) === JSON.stringify(found) || found === null ? '' : ` (there: ${value(found)})`;

const groundText = (ground: Ground, draw: Draw): string => {
  switch (ground.kind) {
    case 'QUOTE':
      return `“${printable(ground.quote)}”${at(ground.offset)} of ${draw.cite(ground.toolCallId)}`;
    case 'FACT':
      return `${withUnit(ground.stated, ground.unit)} = ${place(ground.path, ground.toolCallId, draw)}${readAs(ground.stated, ground.found)}`;
    case 'DERIVED': {
      const operands = ground.operands.map(
        (each) => `${value(each.found)} = ${place(each.path, each.toolCallId, draw)}`,
      );
      return `${withUnit(ground.stated, ground.unit)} = ${ground.op} of ${operands.join('; ')}`;
    }
    case 'ENTITY':
      return `${ground.type} ${printable(ground.name)}${at(ground.offset)} of ${draw.cite(ground.toolCallId)}`;
    case 'NUMBER':
      return `${printable(ground.text)} stands at ${place(ground.path, ground.toolCallId, draw)}`;
    case 'DOCUMENT':
      return `document ${printable(ground.documentId)}, rendered by ${draw.cite(ground.toolCallId)}`;
    case 'CALL':
      return `${draw.cite(ground.toolCallId)} ${ground.evidenceStatus}`;
  }
};

const heldBy = (rules: readonly string[]): string => {
  const numbers = [...new Set(rules.map(numberOf))];
  return numbers.length === 0
    ? ''
    : `held by ${numbers.length === 1 ? 'rule' : 'rules'} ${numbers.join(', ')}`;
};

/** One line a ground, what is the same only once; below them the rules that held the text to them. */
const groundLines = (grounds: readonly Ground[], draw: Draw): string[] => {
  const { style, width } = draw;
  const via = ({ analysisId }: Ground): string => (analysisId === null ? '' : ` (by ${analysisId})`);
  const single = grounds
    .filter(({ kind }) => kind !== 'CALL')
    .map((ground) => groundText(ground, draw) + via(ground));
  const calls = grounds.filter(({ kind }) => kind === 'CALL').map((ground) => groundText(ground, draw));
  const rules = grounds
    .flatMap((ground) => ground.rules)
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const lines = [
    ...new Set(single),
    ...(calls.length === 0 ? [] : [`calls ${calls.join(', ')}`]),
    heldBy(rules),
  ];
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => hang('         ', line, width))
    .map(style.dim);
};

const sentenceLines = ({ text, grounds }: ExplainedSentence, draw: Draw): string[] => [
  ...hang('       ', printable(text), draw.width),
  ...groundLines(grounds, draw),
];

const judgeLine = ({ judge }: ExplainedItem, { cite }: Draw): string[] => {
  if (!judge) return [];
  const quote =
    judge.quote === null
      ? ''
      : `, on “${printable(judge.quote)}”${at(judge.offset)} of ${cite(judge.toolCallId ?? '')}`;
  return [`judge: ${judge.verdict}, ${judge.reasonCode}${quote}`];
};

const itemLines = (item: ExplainedItem, draw: Draw): string[] => {
  const { style, width, full } = draw;
  const more = [
    ...(item.analysisIds.length === 0 ? [] : [`rests on ${idRanges(item.analysisIds)}`]),
    ...judgeLine(item, draw),
    ...item.attention.map(({ ruleId, note }) => `the judge was told: ${ruleId}, ${printable(note)}`),
    ...(full ? [`rules that looked at it: ${item.rules.map(numberOf).join(', ')}`] : []),
  ];
  return [
    '',
    `${style.bold(item.id.padStart(5))}  ${style.accent(item.kind ?? item.section)}`,
    ...item.sentences.flatMap((sentence) => sentenceLines(sentence, draw)),
    ...groundLines(item.grounds, draw),
    ...more.flatMap((text) => hang('         ', text, width)).map(style.dim),
  ];
};

const groundsOf = (items: readonly ExplainedItem[]): Ground[] =>
  items.flatMap(({ sentences, grounds }) => [
    ...sentences.flatMap((sentence) => sentence.grounds),
    ...grounds,
  ]);

type Sources = { number: (toolCallId: string) => string; lines: string[] };

/** Every call that an explanation points at, numbered in the order in which it first does. */
const sourcesOf = (items: readonly ExplainedItem[]): Sources => {
  const found = new Map<string, string[]>();
  const add = (id: string, tool: string, scope = ''): void => {
    const known = found.get(id);
    if (!known || (known[3] === '' && scope !== ''))
      found.set(id, [known?.[0] ?? `  [${found.size + 1}]`, printable(tool), id, scope]);
  };
  for (const ground of groundsOf(items)) {
    if (ground.kind === 'DERIVED') for (const { toolCallId, tool } of ground.operands) add(toolCallId, tool);
    else
      add(ground.toolCallId, ground.tool, ground.kind === 'CALL' ? printable(scopeText(ground.scope)) : '');
  }
  return { number: (id) => found.get(id)?.[0]?.trim() ?? printable(id), lines: table([...found.values()]) };
};

const scopeText = (scope: Record<string, unknown>): string =>
  Object.entries(scope)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${name} ${String(each)}`)
    .join(', ') || 'everything';

/** The rules by name, since the lines above have their numbers only. */
const ruleLines = (items: readonly ExplainedItem[], full: boolean): string[] => {
  const named = new Set([
    ...groundsOf(items).flatMap(({ rules }) => rules),
    ...(full ? items.flatMap(({ rules }) => rules) : []),
  ]);
  return [...named].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
};

const violationLines = (
  draft: NonNullable<DraftVerdict['draft']>,
  { style, width, full }: Draw,
): string[] => [
  ...draft.violations.flatMap(({ ruleId, path, stands, message }) =>
    hang(
      '         ',
      `${ruleId} at ${path === '' ? 'the whole draft' : printable(path)}: ${printable(message)}${stands === null ? '' : `; there stands ${printable(stands)}`}`,
      width,
    ),
  ),
  ...draft.unsupported.flatMap(({ itemId, text }) =>
    hang('         ', `${itemId}: ${printable(text)}`, width),
  ),
  ...(full && draft.text !== null
    ? [
        '',
        style.bad('       the rejected draft as it was written; nothing of it is verified'),
        ...wrap(printable(draft.text), width),
      ]
    : []),
];

const VERDICT: Record<DraftVerdict['verdict'], string> = {
  ACCEPTED: 'passed the EvidenceGuard',
  REJECTED: 'rejected by the EvidenceGuard',
  NOT_JUDGED: 'reached no verdict',
};

const draftLines = (drafts: readonly DraftVerdict[], draw: Draw): string[] =>
  drafts.flatMap(({ revision, verdict, violations, failed, draft }) => [
    '',
    draw.style.bold(
      `Draft ${revision}: ${VERDICT[verdict]}${violations > 0 ? `, ${count(violations, 'violation')}` : ''}`,
    ),
    ...failed.flatMap(({ ruleId, count: times, places }) =>
      hang(
        '       ',
        `${ruleId}, ${times}×: ${places.map((place) => (place === '' ? 'the whole draft' : place)).join(', ')}`,
        draw.width,
      ),
    ),
    ...(draft ? violationLines(draft, draw) : []),
  ]);

const reviewLines = (review: readonly ReviewAttempt[], { style }: Draw): string[] =>
  review.flatMap(({ attempt, outcome, failure, unsupported }) => [
    '',
    style.bold(`SemanticGuard, attempt ${attempt}: ${outcome}${failure === null ? '' : `, ${failure}`}`),
    ...unsupported.map(({ itemId, reasonCode }) => `       ${itemId}: ${reasonCode}`),
  ]);

const HEADINGS = {
  SUCCESS: (form: string) => `Released: ${form}`,
  FALLBACK: (type: string) => `Withheld: ${type}`,
  FAILED: (reason: string) => `Failed: ${reason}`,
  CANCELLED: (cause: string) => `Cancelled: ${cause}`,
};

const heading = (explanation: Explanation): string => {
  switch (explanation.outcome) {
    case 'SUCCESS':
      return HEADINGS.SUCCESS(explanation.form);
    case 'FALLBACK':
      return HEADINGS.FALLBACK(explanation.fallback);
    case 'FAILED':
      return HEADINGS.FAILED(explanation.reason);
    case 'CANCELLED':
      return HEADINGS.CANCELLED(explanation.cause);
  }
};

const footLines = (
  explanation: Explanation,
  sources: readonly string[],
  { style, width, full }: Draw,
): string[] => {
  if (explanation.outcome !== 'SUCCESS' || explanation.items.length === 0) return [];
  const rules = ruleLines(explanation.items, full).join(', ');
  const whole = full ? hang('', `Over the whole report: ${explanation.wholeReport.join(', ')}`, width) : [];
  return [
    '',
    style.bold('Sources'),
    ...sources,
    '',
    style.bold('Rules'),
    ...hang('  ', rules, width),
    ...whole.map((line) => `  ${line}`),
  ];
};

/** Sentence by sentence what carried a report, or draft by draft why there is none. */
export const drawExplanation = (explanation: Explanation, page: Page): string[] => {
  const { style } = page;
  const released = explanation.outcome === 'SUCCESS' ? explanation : undefined;
  const sources = sourcesOf(released?.items ?? []);
  const width = Math.max(40, Math.min(page.columns, WIDTH_MAX));
  const draw: Draw = { ...page, width, cite: (id) => style.accent(sources.number(id)) };
  // What a released report went through is a line or two; of a withheld one it is all there is.
  const repaired = explanation.drafts.length > 1;
  const items = released?.items ?? [];
  return [
    style.bold(heading(explanation)),
    ...items.flatMap((item) => itemLines(item, draw)),
    ...(released && items.length === 0
      ? ['', 'A constant reply: nobody wrote it, and nothing in it needs evidence.']
      : []),
    ...(released && !repaired ? [] : draftLines(explanation.drafts, draw)),
    ...(released && !repaired ? [] : reviewLines(explanation.review, draw)),
    ...footLines(explanation, sources.lines, draw),
    ...(explanation.missing.length > 0
      ? ['', style.warn(`no longer kept by log or archive: ${explanation.missing.join(', ')}`)]
      : []),
    '',
    style.dim(`rule set ${explanation.ruleSet} · run ${explanation.runId}`),
  ];
};

import type { RepairOrder } from '../conversation/conversation';
import { isNode, type Node } from './node';

type Violation = RepairOrder['violations'][number];

/** Marks an item of a list for removal; lists are closed up at the end, so that the paths of other violations stay right. */
const GONE = null;

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
const partsOf = (path: string): string[] => path.split('/').slice(1).map(unescaped);

const itemsOf = (draft: Node, section: string): unknown[] =>
  Array.isArray(draft[section]) ? (draft[section] as unknown[]) : [];

/** Members of an item that can be dropped one by one; anything else at fault takes the item with it. */
const PARTS = new Set(['facts', 'quotes', 'entities', 'derived', 'documentIds']);
const KNOWN = new Set([
  'id',
  'kind',
  'text',
  'scope',
  'toolCallIds',
  'toolCallId',
  'analysisIds',
  'analysisId',
  'rank',
  'object',
  'cause',
  ...PARTS,
]);
const LISTS = new Set(['analyses', 'actionPlan', 'recommendations', 'limitations', 'candidates', 'items']);

const withoutCall = (item: Node, index: number): void => {
  const ids = item.toolCallIds as unknown[];
  const gone = ids[index];
  ids[index] = GONE;
  for (const part of PARTS) {
    if (!Array.isArray(item[part])) continue;
    item[part] = (item[part] as unknown[]).map((member) =>
      isNode(member) && member.toolCallId === gone ? GONE : member,
    );
  }
};

const SENTENCE = /[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g;
const NAMED_FIGURE = /the (?:number|time) ([^\s]+) /;

/** The text without the sentences that hold the figure that the violation names; empty when nothing is left. */
export const withoutFigure = (text: string, message: string | undefined): string => {
  const figure = NAMED_FIGURE.exec(message ?? '')?.[1];
  const sentences = text.match(SENTENCE) ?? [text];
  const kept = figure === undefined ? [] : sentences.filter((sentence) => !sentence.includes(figure));
  return kept.length === sentences.length ? '' : kept.join('').trim();
};

const narrowItem = (list: unknown[], index: number, rest: readonly string[], violation: Violation): void => {
  const item = list[index];
  if (!isNode(item)) return;
  const [member, at] = rest;
  const position = Number(at);
  if (
    member !== undefined &&
    PARTS.has(member) &&
    Array.isArray(item[member]) &&
    Number.isInteger(position)
  ) {
    (item[member] as unknown[])[position] = GONE;
  } else if (member === 'toolCallIds' && Array.isArray(item.toolCallIds) && Number.isInteger(position)) {
    withoutCall(item, position);
  } else if (member === 'analysisIds' && Array.isArray(item.analysisIds) && Number.isInteger(position)) {
    (item.analysisIds as unknown[])[position] = GONE;
  } else if (
    member === 'text' &&
    typeof item.text === 'string' &&
    withoutFigure(item.text, violation.message) !== ''
  ) {
    item.text = withoutFigure(item.text, violation.message);
  } else if (member !== undefined && !KNOWN.has(member)) delete item[member];
  else list[index] = GONE;
};

/** A conclusion that says too much says what its strongest remaining analysis says, and that no more surely. */
export const WITHDRAWN = Symbol('conclusion to be rewritten');
export type Withdrawable = Node & { [WITHDRAWN]?: true };

const addLimitation = (draft: Node, toolCallId: string): void => {
  const limitations = itemsOf(draft, 'limitations');
  const taken = new Set(limitations.flatMap((item) => (isNode(item) ? [item.id] : [])));
  const free = Array.from({ length: 9_999 }, (_, n) => `l${n + 1}`).find((id) => !taken.has(id));
  limitations.push({
    id: free,
    text: 'A call failed, was refused or was cut short; what it would have shown is not known.',
    toolCallIds: [toolCallId],
  });
  draft.limitations = limitations;
};

const remedy = (draft: Withdrawable, violation: Violation): void => {
  const [section, index, ...rest] = partsOf(violation.path);
  if (violation.ruleId.includes('MISSING_LIMITATION')) {
    if (violation.toolCallId) addLimitation(draft, violation.toolCallId);
  } else if (section === 'conclusion') draft[WITHDRAWN] = true;
  else if (section !== undefined && LISTS.has(section)) {
    const list = itemsOf(draft, section);
    if (index !== undefined && Number(index) < list.length) narrowItem(list, Number(index), rest, violation);
    else if (index === undefined && section === 'candidates') delete draft[section];
  } else if (section !== undefined) delete draft[section];
};

/** Applies each violation at its place. */
export const remedies = (draft: Withdrawable, violations: readonly Violation[]): void => {
  for (const violation of violations) remedy(draft, violation);
};

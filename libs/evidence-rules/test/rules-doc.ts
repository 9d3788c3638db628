import { resolvePointer } from '../src/json-pointer';
import { given } from './draft';
import type { Example, RuleTable } from './rule-tables';

const FRAGMENT_CHARS_MAX = 260;

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

/** The part of a draft that shows what a finding at a path is about: a text or a list as it is, else the smallest object around it. */
const placeToShow = (document: unknown, path: string): string => {
  const at = resolvePointer(document, path);
  const isText = path.endsWith('/text') || path.endsWith('/cause');
  if (at.found && (!isScalar(at.value) || isText)) return path;
  const parent = parentOf(path);
  // An analysis is too much to show: its member is enough.
  return /^\/(?:analyses|conclusion)(?:\/\d+)?$/.test(parent) && at.found ? path : parent;
};

/** As inline code, whatever back ticks it holds; unseen characters are named, since nobody could read them. */
const code = (text: string): string => {
  const shown = text
    .replace(
      /[^\x20-\x7e\u00a1-\u2027\u2030-\u205e\u2070-\ud7ff\uf900-\ufefe\uff01-\uffef]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .slice(0, FRAGMENT_CHARS_MAX);
  const cut = text.length > FRAGMENT_CHARS_MAX ? `${shown}…` : shown;
  const ticks = '`'.repeat(Math.max(0, ...(cut.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return cut.includes('`') ? `${ticks} ${cut} ${ticks}` : `${ticks}${cut}${ticks}`;
};

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};

/** The first item in which a draft differs from the sound one: what a row that passes is about. */
const changedItem = (document: unknown): string | null => {
  const sound: unknown = JSON.parse(given().draftText);
  for (const section of ['analyses', 'limitations', 'recommendations', 'actionPlan', 'candidates', 'items']) {
    for (let i = 0; i < 3; i += 1) {
      const at = `/${section}/${i}`;
      const [ours, theirs] = [resolvePointer(document, at), resolvePointer(sound, at)];
      if (ours.found && JSON.stringify(ours) !== JSON.stringify(theirs)) return at;
    }
  }
  return null;
};

const fragment = (example: Example, path: string): string => {
  const text = example.input?.draftText;
  const document = parsed(text);
  // What is wrong with the text as JSON does not show in its parts.
  if (text === undefined || path === '' || document === undefined || JSON.stringify(document) !== text)
    return '';
  const place = placeToShow(document, path);
  const [at, sound] = [place, place].map((pointer, i) =>
    resolvePointer(i === 0 ? document : JSON.parse(given().draftText), pointer),
  );
  if (!at || !sound) return '';
  const isAsEver = at.found && JSON.stringify(at) === JSON.stringify(sound) && example.findings.length === 0;
  const item = isAsEver ? changedItem(document) : null;
  if (item !== null && !place.startsWith(`${item}/`))
    return `: ${code(item)} is ${code(JSON.stringify(valueAt(document, item)))}`;
  return at.found && place !== '' ? `: ${code(place)} is ${code(JSON.stringify(at.value))}` : '';
};

const valueAt = (document: unknown, pointer: string): unknown => {
  const at = resolvePointer(document, pointer);
  return at.found ? at.value : null;
};

/** Markdown's own signs are text here; an underscore inside a word is no sign. */
const plain = (text: string): string =>
  text.replace(/([*<>[\]])/g, '\\$1').replace(/(?<!\w)_|_(?!\w)/g, '\\_');

const repairs = (tables: readonly RuleTable[]): string => {
  const all = tables.flatMap(({ fails }) => fails.flatMap(({ findings }) => findings));
  const helped = all.filter(({ repairable }) => repairable !== false).length;
  return helped === 0 ? 'no' : helped === all.length ? 'yes' : 'in part';
};

const SEVERITY = {
  HARD: 'HARD: the draft is rejected',
  SOFT: 'SOFT: attention of the judge',
} as const;

const variantOf = (table: RuleTable, isOne: boolean): string[] => {
  const { rule, passes, fails } = table;
  const [pass] = passes;
  const fail = fails.find(({ findings }) => findings.length > 0);
  const [finding] = fail?.findings ?? [];
  if (!pass || !fail || !finding) throw new Error(`the table of rule ${rule.id} lacks an example`);
  return [
    plain(rule.meaning),
    '',
    ...(isOne ? [] : [`- severity: ${SEVERITY[rule.severity]}`]),
    `- passes: ${plain(pass.name)}${fragment(pass, finding.path)}`,
    `- fails: ${plain(fail.name)}${fragment(fail, finding.path)}`,
    `  - at ${finding.path === '' ? 'the draft as a whole' : code(finding.path)}: ${plain(finding.message)}`,
    ...(finding.toolCallId === undefined ? [] : [`  - call: ${code(finding.toolCallId)}`]),
    ...(finding.candidates?.length
      ? [`  - right values may stand at: ${finding.candidates.map(code).join(', ')}`]
      : []),
    '',
  ];
};

const sectionOf = (id: string, tables: readonly RuleTable[]): string[] => {
  const severities = new Set(tables.map(({ rule }) => rule.severity));
  const [severity] = severities;
  return [
    `## ${id}`,
    '',
    ...(severities.size === 1 && severity ? [`- severity: ${SEVERITY[severity]}`] : []),
    ...(severities.has('HARD') ? [`- repairable: ${repairs(tables)}`] : []),
    '',
    ...tables.flatMap((table) => variantOf(table, severities.size === 1)),
  ];
};

/** The text of `docs/reference/evidence-rules.md`, from the tables that the rules are tested with. */
export const rulesDoc = (tables: readonly RuleTable[]): string => {
  const byId = new Map<string, RuleTable[]>();
  for (const table of tables) byId.set(table.rule.id, [...(byId.get(table.rule.id) ?? []), table]);
  return [
    '# Evidence rules',
    '',
    'Generated from `libs/evidence-rules` by `npm run docs:generate`; a test fails when the two differ. Meaning and severity come',
    'from the rule, the examples are the first rows of the table that its spec runs. The rule itself is',
    '`libs/evidence-rules/src/rules/<number>-<name>.rule.ts`; the order here is the order in which violations are reported.',
    '',
    'A violation is `{ruleId, analysisId, path, toolCallId, message, repairable, candidates}`. `path` points into the draft, `candidates`',
    'point into the output of `toolCallId`, where the right value may stand. Neither they nor the message ever hold a value of a',
    'tool’s output: the one repair works without tools, and what it is told it could only copy.',
    '',
    ...[...byId].flatMap(([id, of]) => sectionOf(id, of)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
};

import type { Analysis, DerivedValue } from '@inquest/contracts/draft';
import { typedChanges, wrongDirection } from '../direction-words';
import { resolvePointer } from '../json-pointer';
import type { LedgerView } from '../ledger-view';
import { proseFigures } from '../prose-numbers';
import type { Finding, Rule } from '../rule';
import { readingTolerance } from '../text-index';
import { conversion, measurement, unitAt } from '../units';
import { agreesAs } from '../value-policy';

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The declared operation over its operands; null when it is not defined for them. */
const computed = (op: DerivedValue['op'], values: readonly number[]): number | null => {
  const [a, b] = values;
  const pair = values.length === 2 && a !== undefined && b !== undefined ? { a, b } : null;
  switch (op) {
    case 'diff':
      return pair && pair.a - pair.b;
    case 'ratio':
      return pair && pair.b !== 0 ? pair.a / pair.b : null;
    case 'pct_change':
      return pair && pair.a !== 0 ? ((pair.b - pair.a) / Math.abs(pair.a)) * 100 : null;
    case 'sum':
      return sum(values);
    case 'mean':
      return sum(values) / values.length;
    case 'max':
      return Math.max(...values);
    case 'min':
      return Math.min(...values);
    case 'count':
      return values.length;
  }
};

type Quantity = { value: number; unit: string | null };
type Operands = { quantities: Quantity[] } | { wrong: number; why: string };

const quantityAt = (document: unknown, path: string, value: unknown): Quantity | null => {
  if (typeof value === 'number') return { value, unit: unitAt(document, path) };
  return typeof value === 'string' ? measurement(value) : null;
};

/** Operands are numbers, or numbers with a unit, at paths of calls; for `count` anything that is there. */
const operandsOf = (
  { op, operands }: DerivedValue,
  cited: readonly string[],
  ledger: LedgerView,
): Operands | null => {
  const quantities: Quantity[] = [];
  for (const [wrong, { toolCallId, path }] of operands.entries()) {
    if (!cited.includes(toolCallId))
      return { wrong, why: 'the analysis does not cite the call of this operand' };
    const index = ledger.byId.get(toolCallId)?.index;
    if (!index) return null;
    const found = resolvePointer(index.document, path);
    if (!found.found) return { wrong, why: 'this path leads nowhere in the output of the call' };
    const quantity = quantityAt(index.document, path, found.value);
    if (op !== 'count' && !quantity) return { wrong, why: 'what stands at this path is no number' };
    quantities.push(quantity ?? { value: 0, unit: null });
  }
  const distinct = new Set(operands.map(({ toolCallId, path }) => `${toolCallId}${path}`));
  if (op === 'count' && distinct.size < operands.length)
    return { wrong: 0, why: 'an operand is counted twice' };
  return { quantities };
};

const PERCENT: ReadonlySet<string> = new Set(['%', 'percent', 'pct']);
const SHARES: ReadonlySet<string> = new Set(['ratio', 'x', 'times', ...PERCENT]);
const POINTS: ReadonlySet<string> = new Set(['pp', 'percentage points']);

type InUnit = { values: number[]; factor: number } | { wrongUnit: string };

/** The operands as numbers of one unit, and what the result is multiplied by to be in the declared one. */
const inOneUnit = ({ op, unit }: DerivedValue, quantities: readonly Quantity[]): InUnit => {
  const plain = { values: quantities.map(({ value }) => value), factor: 1 };
  if (op === 'count') return plain;
  const first = quantities[0]?.unit ?? null;
  const common =
    op === 'ratio' || op === 'pct_change' || unit === undefined || POINTS.has(unit) ? first : unit;
  const values: number[] = [];
  for (const { value, unit: own } of quantities) {
    const factor = own === null || common === null ? 1 : conversion(own, common);
    if (factor === null) return { wrongUnit: 'the operands, or the declared unit, measure different things' };
    values.push(value * factor);
  }
  if (op === 'pct_change')
    return unit === undefined || PERCENT.has(unit)
      ? { values, factor: 1 }
      : { wrongUnit: 'a change in per cent has the unit %' };
  if (op === 'ratio') {
    if (unit !== undefined && !SHARES.has(unit)) return { wrongUnit: 'a ratio has no unit, or the unit %' };
    return { values, factor: unit !== undefined && PERCENT.has(unit) ? 100 : 1 };
  }
  const share = common === null ? null : conversion(common, 'ratio');
  if (op !== 'diff' || share === null || unit === undefined) return { values, factor: 1 };
  if (PERCENT.has(unit)) return { wrongUnit: 'a difference of percentages is in percentage points: pp' };
  return { values, factor: POINTS.has(unit) ? 100 * share : 1 };
};

const derivedFinding = (
  item: DerivedValue,
  quantities: readonly Quantity[],
): Pick<Finding, 'path' | 'message'> | null => {
  const numbers = inOneUnit(item, quantities);
  if ('wrongUnit' in numbers) return { path: 'unit', message: numbers.wrongUnit };
  const value = computed(item.op, numbers.values);
  if (value !== null && agreesAs(item.policy, item.value, value * numbers.factor)) return null;
  const message =
    value === null
      ? 'this operation is not defined for these operands'
      : 'the operation yields another value';
  return { path: 'value', message };
};

/** A sentence that rests on a derived number which is wrong falls with it. */
function* proseOf({ value }: DerivedValue, analysis: Analysis, at: string): Generator<Finding> {
  const figure = proseFigures(analysis.text).numbers.find(({ readings }) =>
    readings.some((reading) => Math.abs(Math.abs(value) - reading.value) <= readingTolerance(reading)),
  );
  const raw = figure && /^\S{1,24}/.exec(figure.raw)?.[0];
  if (raw === undefined) return;
  const message = `the number ${raw} rests on this derived value`;
  yield { path: `${at}/text`, analysisId: analysis.id, message };
}

function* directionFindings(analysis: Analysis, at: string): Generator<Finding> {
  for (const change of typedChanges(analysis)) {
    const figure = wrongDirection(analysis.text, change);
    if (figure === null) continue;
    const message = `the number ${figure} is a change the other way: see ${at}/${change.at}`;
    yield { path: `${at}/text`, analysisId: analysis.id, message };
    return;
  }
}

export const derived: Rule = {
  id: '27 DERIVED',
  meaning:
    'A number that stands in no output comes with its operation, and the operation over the typed operands yields it: `diff` a-b, `ratio` a/b, `pct_change` from a to b. Words such as `rose` and `fell` agree with a change that is typed.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const [k, item] of (analysis.derived ?? []).entries()) {
        const at = `/analyses/${i}/derived/${k}`;
        const read = operandsOf(item, analysis.toolCallIds, ledger);
        if (!read) continue;
        const wrong =
          'wrong' in read
            ? { path: `operands/${read.wrong}`, message: read.why }
            : derivedFinding(item, read.quantities);
        if (!wrong) continue;
        const operand = item.operands['wrong' in read ? read.wrong : 0];
        yield {
          path: `${at}/${wrong.path}`,
          analysisId: analysis.id,
          toolCallId: operand?.toolCallId,
          message: wrong.message,
          // What the right value follows from; of an operand that is not there nothing follows.
          candidates:
            'wrong' in read
              ? []
              : item.operands.filter((o) => o.toolCallId === operand?.toolCallId).map(({ path }) => path),
        };
        yield* proseOf(item, analysis, `/analyses/${i}`);
      }
      yield* directionFindings(analysis, `/analyses/${i}`);
    }
  },
};

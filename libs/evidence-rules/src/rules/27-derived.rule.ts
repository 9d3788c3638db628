import type { DerivedValue } from '@inquest/contracts/draft';
import { resolvePointer } from '../json-pointer';
import type { LedgerView } from '../ledger-view';
import type { Finding, Rule } from '../rule';
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

type Operands = { values: number[] } | { wrong: number; why: string };

/** Operands are numbers at paths of calls; for `count` anything that is there. */
const operandsOf = (
  { op, operands }: DerivedValue,
  cited: readonly string[],
  ledger: LedgerView,
): Operands | null => {
  const values: number[] = [];
  for (const [wrong, { toolCallId, path }] of operands.entries()) {
    if (!cited.includes(toolCallId))
      return { wrong, why: 'the analysis does not cite the call of this operand' };
    const index = ledger.byId.get(toolCallId)?.index;
    if (!index) return null;
    const found = resolvePointer(index.document, path);
    if (!found.found) return { wrong, why: 'this path leads nowhere in the output of the call' };
    if (op !== 'count' && typeof found.value !== 'number')
      return { wrong, why: 'what stands at this path is no number' };
    values.push(typeof found.value === 'number' ? found.value : 0);
  }
  const distinct = new Set(operands.map(({ toolCallId, path }) => `${toolCallId}${path}`));
  if (op === 'count' && distinct.size < operands.length)
    return { wrong: 0, why: 'an operand is counted twice' };
  return { values };
};

/** A number that stands in no output comes with its operation, and the operation yields it: `diff` a-b, `ratio` a/b, `pct_change` from a to b. */
export const derived: Rule = {
  id: '27 DERIVED',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const [k, item] of (analysis.derived ?? []).entries()) {
        const at = `/analyses/${i}/derived/${k}`;
        const operands = operandsOf(item, analysis.toolCallIds, ledger);
        if (!operands) continue;
        if ('wrong' in operands) {
          const toolCallId = item.operands[operands.wrong]?.toolCallId;
          yield {
            path: `${at}/operands/${operands.wrong}`,
            analysisId: analysis.id,
            toolCallId,
            message: operands.why,
          };
          continue;
        }
        const value = computed(item.op, operands.values);
        if (value !== null && agreesAs(item.policy, item.value, value)) continue;
        const message =
          value === null
            ? 'this operation is not defined for these operands'
            : 'the operation yields another value';
        yield {
          path: `${at}/value`,
          analysisId: analysis.id,
          toolCallId: item.operands[0]?.toolCallId,
          message,
        };
      }
    }
  },
};

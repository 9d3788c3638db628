import type { LedgerEntry } from '@inquest/contracts/ledger';
import { leavesOf, resolvePointer, toPointer } from '@inquest/evidence-rules/json-pointer';
import { conversion, measurement } from '@inquest/evidence-rules/units';

export type Leaf = { path: string; key: string; value: string | number | boolean | null };

/** A call and the places of its output that a draft may speak of. */
export type Exhibit = {
  entry: LedgerEntry;
  document: unknown;
  leaves: Leaf[];
  numbers: (Leaf & { value: number })[];
  /** Texts such as `300Mi` or `94s`, whose unit can be converted. */
  measured: (Leaf & { value: string; number: number; unit: string })[];
  texts: (Leaf & { value: string })[];
  /** Names of things, from `name` columns and fields. */
  names: (Leaf & { value: string })[];
  states: (Leaf & { value: string })[];
};

const BODY = /^\/(?:rows|object|series|events|summary)(?:\/|$)/;
export const STATES = [
  'Running', 'Pending', 'CrashLoopBackOff', 'ImagePullBackOff', 'ErrImagePull', 'Error', 'Completed', 'Terminating',
  'Ready', 'NotReady', 'Bound', 'Active', 'Warning', 'Normal', 'True', 'False', 'Waiting', 'Terminated', 'ABNORMAL',
]; // prettier-ignore

const NAME = /^[a-z0-9](?:[a-z0-9-]{2,60}[a-z0-9])$/;

const keyOf = (path: readonly PropertyKey[]): string =>
  String([...path].reverse().find((part) => typeof part === 'string' && !/^\d+$/.test(part)) ?? '');

const isNumber = (leaf: Leaf): leaf is Leaf & { value: number } => typeof leaf.value === 'number';
const isText = (leaf: Leaf): leaf is Leaf & { value: string } => typeof leaf.value === 'string';

/** The field that stands beside a value: `Restart Count` for `/rows/7/value`. */
const fieldBeside = (document: unknown, pointer: string): string => {
  const beside = resolvePointer(document, pointer.replace(/\/value$/, '/field'));
  return beside.found && typeof beside.value === 'string' ? beside.value : '';
};

const measuredOf = (leaf: Leaf & { value: string }): Exhibit['measured'] => {
  const found = measurement(leaf.value);
  return found && conversion(found.unit, found.unit) !== null && isConvertible(found.unit)
    ? [{ ...leaf, number: found.value, unit: found.unit }]
    : [];
};

const OTHER_UNIT: Record<string, string> = {
  Mi: 'Ki',
  Gi: 'Mi',
  Ki: 'B',
  m: 'cores',
  s: 'ms',
  ms: 's',
  min: 's',
  h: 'min',
  '%': 'ratio',
};
const isConvertible = (unit: string): boolean => OTHER_UNIT[unit] !== undefined;
/** A unit of the same dimension, or null. */
export const otherUnit = (unit: string): string | null => OTHER_UNIT[unit] ?? null;

export const exhibitOf = (entry: LedgerEntry): Exhibit => {
  const document = JSON.parse(entry.projection.inline ?? 'null') as unknown;
  const leaves = [...leavesOf(document)]
    .map(({ path, value }): Leaf => ({ path: toPointer(path), key: keyOf(path), value }))
    .filter(({ path }) => BODY.test(path) && path.length <= 300);
  const texts = leaves.filter(isText).filter(({ value }) => !/\[(?:REDACTED|TRUNCATED)/.test(value));
  return {
    entry,
    document,
    leaves,
    numbers: leaves.filter(isNumber),
    measured: texts.flatMap(measuredOf),
    texts: texts.filter(({ value }) => value.length >= 24 && value.length <= 900 && !/[\n\t]/.test(value)),
    names: texts.filter(
      ({ key, path, value }) =>
        NAME.test(value) && (key === 'name' || /^(?:Name|name)$/.test(fieldBeside(document, path))),
    ),
    states: texts.filter(({ value }) => STATES.includes(value)),
  };
};

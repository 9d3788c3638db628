import { resolvePointer } from './json-pointer';

type Unit = { dimension: string; factor: number };

const table = (dimension: string, units: Record<string, number>): [string, Unit][] =>
  Object.entries(units).map(([name, factor]) => [name, { dimension, factor }]);

/** Units by name, with their size in the dimension's base. Case matters: `m` is a thousandth of a core, `M` a million bytes. */
const UNITS: ReadonlyMap<string, Unit> = new Map([
  ...table('time', {
    ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6, ms: 1e-3, milliseconds: 1e-3, s: 1, sec: 1, second: 1, seconds: 1,
    min: 60, minute: 60, minutes: 60, h: 3600, hour: 3600, hours: 3600, d: 86_400, day: 86_400, days: 86_400,
  }),
  ...table('bytes', {
    B: 1, byte: 1, bytes: 1, K: 1e3, kB: 1e3, KB: 1e3, M: 1e6, MB: 1e6, G: 1e9, GB: 1e9, T: 1e12, TB: 1e12,
    Ki: 1024, KiB: 1024, Mi: 1024 ** 2, MiB: 1024 ** 2, Gi: 1024 ** 3, GiB: 1024 ** 3, Ti: 1024 ** 4, TiB: 1024 ** 4,
  }),
  ...table('cpu', { n: 1e-9, u: 1e-6, m: 1e-3, mcores: 1e-3, millicores: 1e-3, core: 1, cores: 1, cpu: 1, cpus: 1 }),
  ...table('share', { ratio: 1, '%': 0.01, percent: 0.01, pct: 0.01 }),
  // Differences of percentages: never the percentages themselves.
  ...table('points', { pp: 1, 'percentage points': 1 }),
  ...table('rate', { '/s': 1, rps: 1, qps: 1, 'req/s': 1, 'requests/s': 1, '/min': 1 / 60, 'req/min': 1 / 60, 'requests/min': 1 / 60 }),
]); // prettier-ignore

/** A key that names its unit, as `duration_ms` or `waitedMs` does. */
const KEY_SUFFIX: readonly [RegExp, string][] = [
  [/(?:_ms|Ms|_milliseconds)$/, 'ms'],
  [/(?:_seconds|Seconds|_secs)$/, 's'],
  [/(?:_bytes|Bytes)$/, 'B'],
  [/(?:_percent|Percent|_pct)$/, '%'],
  [/(?:_ratio|Ratio)$/, 'ratio'],
];

/**
 * The unit in which a document states the value at a pointer, named by its key or by `unit` on the way down to it; and the
 * pointer of what names it.
 */
export const unitNamedAt = (document: unknown, pointer: string): { unit: string; place: string } | null => {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  const named = KEY_SUFFIX.find(([suffix]) => suffix.test(key))?.[1];
  if (named !== undefined) return { unit: named, place: pointer };
  for (let at = pointer; at !== '';) {
    at = at.slice(0, at.lastIndexOf('/'));
    const place = `${at}/unit`;
    const parent = resolvePointer(document, place);
    if (parent.found && typeof parent.value === 'string' && parent.value !== '')
      return { unit: parent.value, place };
  }
  return null;
};

export const unitAt = (document: unknown, pointer: string): string | null =>
  unitNamedAt(document, pointer)?.unit ?? null;

/** What one `from` is in `to`; 1 for a unit and itself, null when they measure different things or are not known. */
export const conversion = (from: string, to: string): number | null => {
  if (from === to) return 1;
  const [a, b] = [UNITS.get(from), UNITS.get(to)];
  return a && b && a.dimension === b.dimension ? a.factor / b.factor : null;
};

/** `64Mi` as number and unit. */
export const measurement = (text: string): { value: number; unit: string } | null => {
  const match = /^(\d{1,15}(?:\.\d{1,9})?)\s?([A-Za-z%µμ/]{1,16})$/.exec(text);
  return match ? { value: Number(match[1]), unit: match[2] ?? '' } : null;
};

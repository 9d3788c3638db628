const QUARTER_MS = 15 * 60_000;
const CACHE_MAX = 4_096;
const formats = new Map<string, Intl.DateTimeFormat | null>();
const offsets = new Map<string, number>();

const formatOf = (zone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null;
  try {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    format = null;
  }
  if (formats.size < 64) formats.set(zone, format);
  return format;
};

/**
 * Seconds that a zone is ahead of UTC at an instant; 0 for a zone nobody knows. Offsets change at quarter hours at the
 * finest, so that one lookup serves all instants of a quarter.
 */
export const offsetAt = (zone: string, epochMs: number): number => {
  const quarter = Math.floor(epochMs / QUARTER_MS);
  const key = `${zone} ${quarter}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  const format = formatOf(zone);
  if (!format) return 0;
  const at = quarter * QUARTER_MS;
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const local = Date.UTC(
    part['year'] ?? 0,
    (part['month'] ?? 1) - 1,
    part['day'] ?? 1,
    part['hour'],
    part['minute'],
    part['second'],
  );
  const offset = Math.round((local - at) / 1000);
  if (offsets.size >= CACHE_MAX) offsets.clear();
  offsets.set(key, offset);
  return offset;
};

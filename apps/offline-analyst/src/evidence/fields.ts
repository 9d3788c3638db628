/** Reading loosely shaped JSON: what is absent or of another type is a null or an empty value, never an error. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fields = (value: unknown): Fields => (isFields(value) ? value : {});

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

export const strings = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields(value)).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : [])),
  );

const EPOCH_MS_FROM = 1e11;

/** An ISO instant, or epoch seconds or milliseconds, as milliseconds. */
export const instantMs = (value: unknown): number | null => {
  if (typeof value === 'number') return value < EPOCH_MS_FROM ? value * 1_000 : value;
  if (typeof value !== 'string') return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
};

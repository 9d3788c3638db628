import { isRecord } from '@inquest/contracts/json-object';
import type { Entity, Fact, Quote } from '@inquest/contracts/draft';
import type { ToolCallId } from '@inquest/contracts/ids';

/** A place in one projection. */
export type Place = { toolCallId: string; path: string };

/** Every projection of the investigation, by tool call id. */
export type Documents = ReadonlyMap<string, unknown>;

const step = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? (value as unknown[])[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
};

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');

export const at = (place: Place, ...parts: (string | number)[]): Place => ({
  toolCallId: place.toolCallId,
  path: parts.reduce<string>((path, part) => `${path}/${escaped(String(part))}`, place.path),
});

export const valueAt = (documents: Documents, place: Place): unknown => {
  const document = documents.get(place.toolCallId);
  if (place.path === '') return document;
  return place.path.slice(1).split('/').map(unescaped).reduce(step, document);
};

type Scalar = string | number | boolean | null;
const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const STRING_FACT_CHARS_MAX = 1_000;
const UNIT_CHARS_MAX = 20;

/** The scalar that stands at a place, as a typed fact; none where nothing stands or it is too long. */
export const factAt = (documents: Documents, place: Place, unit?: string): Fact[] => {
  const value = valueAt(documents, place);
  if (!isScalar(value) || (typeof value === 'string' && value.length > STRING_FACT_CHARS_MAX)) return [];
  const { toolCallId, path } = place;
  const fact: Fact = { toolCallId: toolCallId as ToolCallId, path, value, policy: 'exact' };
  return [unit && unit.length <= UNIT_CHARS_MAX && typeof value === 'number' ? { ...fact, unit } : fact];
};

const QUOTE_CHARS = { min: 8, max: 240 } as const;
const MARKS = /\[REDACTED|…|\[truncated/;

/** The beginning of a string value, up to any mark of something left out. */
export const quoteAt = (documents: Documents, place: Place): Quote[] => {
  const value = valueAt(documents, place);
  if (typeof value !== 'string') return [];
  const clean = value.slice(0, value.search(MARKS) < 0 ? undefined : value.search(MARKS));
  const quote = clean.slice(0, QUOTE_CHARS.max).trim();
  const { toolCallId, path } = place;
  return quote.length < QUOTE_CHARS.min ? [] : [{ toolCallId: toolCallId as ToolCallId, path, quote }];
};

export const entity = (type: Entity['type'], name: string, place: Place): Entity => ({
  type,
  name,
  toolCallId: place.toolCallId as ToolCallId,
});

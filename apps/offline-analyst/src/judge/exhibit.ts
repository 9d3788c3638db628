import { isRecord } from '@inquest/contracts/json-object';
import { folded } from './fold';
import type { EvidencePiece } from './judge-request';

/** One row, series, object, event or document of a projection: the unit that a statement is about. */
export type Entry = {
  text: string;
  numbers: readonly number[];
  /** What the entry is about: the values of its members that name something. */
  subjects: ReadonlySet<string>;
};

/** A projection as the judge reads it. */
export type Exhibit = {
  toolCallId: string;
  scope: Readonly<Record<string, unknown>>;
  window: { from: string; to: string } | null;
  evidenceStatus: string;
  truncated: boolean;
  text: string;
  /** All that may support a statement: the text, its strings without JSON's escapes, its scope; folded. */
  support: string;
  /** The same in lower case. */
  words: string;
  document: unknown;
  entries: readonly Entry[];
  /** Totals and whatever else stands outside the entries. */
  header: Entry;
};

const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

const numbersIn = (text: string): number[] =>
  [...text.matchAll(NUMBER)].map((match) => Math.abs(Number(match[0])));

const NAMING = /^(?:name|service|pod|node|host|client|from|to|id|consumer|namespace|app)$/;

const subjectsIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(subjectsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    typeof member === 'string' ? (NAMING.test(key) ? [member] : []) : subjectsIn(member),
  );
};

const entryOf = (value: unknown): Entry => {
  const text = JSON.stringify(value) ?? '';
  return { text, numbers: numbersIn(text), subjects: new Set(subjectsIn(value)) };
};

/** A summary is no thing of its own: its lists are entries like the rows. */
const partsOf = (record: Record<string, unknown>): Entry[] => {
  const isThing = record.kind !== undefined || record.name !== undefined || record.metadata !== undefined;
  const lists = isThing
    ? []
    : Object.values(record).filter(
        (value): value is unknown[] => Array.isArray(value) && value.some(isRecord),
      );
  return lists.length === 0 ? [entryOf(record)] : lists.flatMap((list) => list.map(entryOf));
};

const stringsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

const split = (document: unknown): { header: Entry; entries: Entry[] } => {
  if (!isRecord(document)) return { header: entryOf(document), entries: [] };
  const outside: Record<string, unknown> = {};
  const entries: Entry[] = [];
  const lengths: number[] = [];
  // The events of a description are about the object that it describes.
  const described = isRecord(document.object) ? subjectsIn(document.object) : [];
  for (const [key, value] of Object.entries(document)) {
    if (Array.isArray(value) && value.some(isRecord)) {
      entries.push(
        ...value.map((item) => {
          const entry = entryOf(item);
          return { ...entry, subjects: new Set([...entry.subjects, ...described]) };
        }),
      );
      lengths.push(value.length);
    } else if (isRecord(value)) entries.push(...partsOf(value));
    else outside[key] = value;
  }
  const header = entryOf(outside);
  return { header: { ...header, numbers: [...header.numbers, ...lengths] }, entries };
};

/** The text between the boundary lines, or the whole where the boundary is not as announced. */
export const unwrapped = (projection: string, boundary: string): string => {
  const start = `${boundary}\n`;
  const end = `\n${boundary}`;
  return projection.startsWith(start) && projection.endsWith(end)
    ? projection.slice(start.length, -end.length)
    : projection;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const exhibitOf = (piece: EvidencePiece, boundary: string): Exhibit => {
  const text = unwrapped(piece.projection, boundary);
  const document = parsed(text);
  const support = folded([text, ...stringsIn(document), JSON.stringify(piece.scope ?? {})].join('\n'));
  return {
    toolCallId: piece.toolCallId,
    scope: piece.scope ?? {},
    window: piece.window ?? null,
    evidenceStatus: piece.evidenceStatus,
    truncated: piece.truncated,
    text,
    support,
    words: support.toLowerCase(),
    document,
    ...split(document),
  };
};

/** The value at a JSON pointer, or undefined. */
export const valueAt = (document: unknown, pointer: string): unknown => {
  if (pointer === '') return document;
  let value = document;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value))
      value = /^(0|[1-9]\d*)$/.test(key) ? (value as unknown[])[Number(key)] : undefined;
    else if (isRecord(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
};

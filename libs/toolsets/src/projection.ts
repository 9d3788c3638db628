import { canonicalJson, hashOf, type Json } from '@inquest/contracts/canonical-json';
import { REDACTION_MARK } from '@inquest/redaction/redaction-mark';
import type { Redactor } from '@inquest/redaction/redactor';
import { fitOrdered } from './fit-ordered';
import { SHRINK_LEVELS, shrinkJson } from './shrink-json';
import type { JsonObject, RawResult } from './tool';

/** Below this no projection could hold its own totals. */
export const PROJECTION_BYTES_FLOOR = 1_024;

export type Projection = {
  /** One canonical JSON document of at most `bytesMax` UTF-8 bytes. */
  text: string;
  matched: number | null;
  /** Rows, series or objects in `text`. */
  returned: number;
  /** Something that the tool returned is not, or not whole, in `text`. */
  truncated: boolean;
  /** Of everything that the tool returned, also of what had no room. */
  redactedCount: number;
  contentHash: string;
};

/** What a result consists of, whatever its kind: a list that may be cut from its end, and parts beside it. */
type Content = {
  listName: 'rows' | 'series' | 'events';
  list: Json[];
  parts: { object?: Json; summary?: Json };
};

const contentOf = (raw: RawResult): Content => {
  switch (raw.kind) {
    case 'ROWS':
      return { listName: 'rows', list: [...raw.rows], parts: raw.summary ? { summary: raw.summary } : {} };
    case 'SERIES':
      return { listName: 'series', list: [...raw.series], parts: {} };
    case 'OBJECT':
      return { listName: 'events', list: [...raw.events], parts: { object: raw.object } };
  }
};

export const matchedOf = (raw: RawResult): number | null =>
  raw.kind === 'OBJECT' ? (raw.object === null ? 0 : 1) : raw.matched;

/** Postgres' jsonb cannot hold NUL, and no log line needs it. */
const withoutNul = (value: Json): Json => {
  if (typeof value === 'string')
    return value.includes('\u0000') ? value.replaceAll('\u0000', '\uFFFD') : value;
  if (Array.isArray(value)) return value.map(withoutNul);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [withoutNul(key) as string, withoutNul(item)]),
  );
};

const bytesOf = (value: Json): number => Buffer.byteLength(canonicalJson(value), 'utf8');

/** The first level at which the value fits, or null when none does. */
const fit = (value: Json, bytesMax: number): { value: Json; cuts: number } | null => {
  for (const limits of SHRINK_LEVELS) {
    const shrunk = shrinkJson(value, limits);
    if (bytesOf(shrunk.value) <= bytesMax) return shrunk;
  }
  return null;
};

/** Longest texts first are cut gently; then whole items are dropped from the end. The first item is always shown, smaller if need be. */
const fitList = (list: readonly Json[], bytesMax: number): { list: Json[]; cuts: number } => {
  const gentle = SHRINK_LEVELS[0];
  const kept: Json[] = [];
  let [left, cuts] = [bytesMax, 0];
  for (const item of list) {
    const shrunk = gentle ? shrinkJson(item, gentle) : { value: item, cuts: 0 };
    const bytes = bytesOf(shrunk.value) + 1;
    if (bytes > left) {
      const squeezed = kept.length === 0 ? fit(item, left - 1) : null;
      if (!squeezed) break;
      kept.push(squeezed.value);
      cuts += squeezed.cuts;
      left = 0;
      continue;
    }
    kept.push(shrunk.value);
    cuts += shrunk.cuts;
    left -= bytes;
  }
  return { list: kept, cuts };
};

/** Figures that are always there: what was asked, how much there is, how complete it is. */
const headOf = (tool: string, raw: RawResult): JsonObject => {
  const flags = { sampled: raw.sampled, partial: raw.partial, permissionFiltered: raw.permissionFiltered };
  return {
    tool,
    matched: matchedOf(raw),
    limitHit: raw.limitHit,
    ...Object.fromEntries(Object.entries(flags).filter(([, set]) => set)),
    ...(raw.selectorKnown === null ? {} : { selectorKnown: raw.selectorKnown }),
    ...(raw.window ? { window: { ...raw.window } } : {}),
    ...(Object.keys(raw.scope).length > 0 ? { scope: { ...raw.scope } } : {}),
    ...(raw.suggestions.length > 0 ? { suggestions: [...raw.suggestions] } : {}),
  };
};

/** Members of the head that may go when even the head is too large, in this order. */
const EXPENDABLE = ['suggestions', 'scope', 'window'];

const slimHead = (head: JsonObject, bytesMax: number): { head: JsonObject; cuts: number } => {
  let slim = head;
  let cuts = 0;
  for (const name of EXPENDABLE) {
    if (bytesOf(slim) <= bytesMax) break;
    if (!(name in slim)) continue;
    const { [name]: _, ...rest } = slim;
    slim = rest;
    cuts += 1;
  }
  return { head: slim, cuts };
};

/** Room for `omitted`, `returned`, `truncated` and the brackets of the list, with numbers of any size. */
const TAIL_BYTES = 160;
/** Share of the room that the parts beside the list may take before they are made smaller. */
const PARTS_SHARE = 0.6;

const fitParts = (parts: Content['parts'], bytesMax: number, listIsEmpty: boolean) => {
  const fitted: { object?: Json; summary?: Json } = {};
  let [left, cuts] = [Math.floor(bytesMax * (listIsEmpty ? 1 : PARTS_SHARE)), 0];
  for (const name of ['object', 'summary'] as const) {
    const value = parts[name];
    if (value === undefined) continue;
    const room = left - name.length - 4;
    // Of an object, what stands first matters most; a summary is as good in all of its parts.
    const small = name === 'object' ? fitOrdered(value, room) : fit(value, room);
    cuts += small ? small.cuts : 1;
    if (small) fitted[name] = small.value;
    left -= small ? bytesOf(small.value) + name.length + 4 : 0;
  }
  return { parts: fitted, cuts };
};

/**
 * Turns a tool's result into the text that the model sees, the guards check and a person opens: redacted first, then
 * bounded. Totals are always in it, and so is what was left out.
 */
export const projectResult = (
  tool: string,
  raw: RawResult,
  { bytesMax, redactor }: { bytesMax: number; redactor: Redactor },
): Projection => {
  const budget = Math.max(PROJECTION_BYTES_FLOOR, bytesMax);
  const content = contentOf(raw);
  const clean = redactor.redact(withoutNul({ list: content.list, ...content.parts }));
  const { list, ...cleanParts } = clean.value as { list: Json[]; object?: Json; summary?: Json };

  const { head, cuts: headCuts } = slimHead(headOf(tool, raw), budget / 2);
  const room = budget - bytesOf(head) - TAIL_BYTES;
  const { parts, cuts: partCuts } = fitParts(cleanParts, room, list.length === 0);
  const { list: kept, cuts: listCuts } = fitList(
    list,
    room - (Object.keys(parts).length > 0 ? bytesOf(parts) : 0),
  );

  const dropped = list.length - kept.length;
  const cuts = headCuts + partCuts + listCuts;
  const truncated = dropped > 0 || cuts > 0;
  const returned = raw.kind === 'OBJECT' ? (raw.object === null ? 0 : 1) : kept.length;
  const shown = { ...parts, [content.listName]: kept };
  const body = {
    ...head,
    ...shown,
    returned,
    truncated,
    ...(truncated ? { omitted: { [content.listName]: dropped, cuts } } : {}),
  };
  return {
    text: canonicalJson(body),
    matched: matchedOf(raw),
    returned,
    truncated,
    // Some tools redact what they make texts of, before they make it: those marks count as well.
    redactedCount: JSON.stringify(clean.value).match(REDACTION_MARK)?.length ?? 0,
    contentHash: hashOf({ tool, rows: shown }),
  };
};

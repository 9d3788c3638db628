import { hashOf, sha256, type Json } from '@inquest/contracts/canonical-json';
import { LedgerEntry } from '@inquest/contracts/ledger';
import type { Scope, Window } from '@inquest/contracts/scope';
import { createRedactor } from '@inquest/redaction/redactor';
import { projectResult } from '@inquest/toolsets/projection';
import type { JsonObject, RawResult } from '@inquest/toolsets/tool';

/**
 * What a tool of a snapshot printed on the real cluster, as the ledger entry that a toolset of ours would have made of it: the
 * text taken apart into rows, projected, redacted and bounded by the toolset's own code.
 */
export type Printed = { tool: string; args: Record<string, unknown>; output: unknown };

const redactor = createRedactor('guard-bench');
const BYTES_MAX = 32 * 1024;

/** `94s`, `300Mi` and names stay texts; whole and decimal numbers become numbers. */
const scalar = (text: string): Json => (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text);

const COLUMN_GAP = /\s{2,}/g;

/** kubectl's columns begin where their headings do. */
const tableRows = (lines: readonly string[]): JsonObject[] | null => {
  const [heading = ''] = lines;
  if (!/^[A-Z][A-Z0-9()/-]*(?:\s{2,}|\s[A-Z]|$)/.test(heading) || lines.length < 2) return null;
  const names = heading.trim().split(COLUMN_GAP);
  const starts = names.map((name, i) =>
    heading.indexOf(name, i === 0 ? 0 : heading.indexOf(names[i - 1] ?? '')),
  );
  return lines
    .slice(1)
    .map((line) =>
      Object.fromEntries(
        names.map((name, i) => [
          name.toLowerCase(),
          scalar(line.slice(starts[i], starts[i + 1] ?? line.length).trim()),
        ]),
      ),
    );
};

/** `Restart Count:  0` below `Containers:` becomes a field of that name; other lines stay lines. */
const fieldRows = (lines: readonly string[]): JsonObject[] =>
  lines.map((line): JsonObject => {
    const match = /^\s*(?:- )?([A-Za-z][\w ./-]{0,60}?):\s+(\S.*)$/.exec(line);
    return match ? { field: match[1] ?? '', value: scalar((match[2] ?? '').trim()) } : { line: line.trim() };
  });

const parsed = (output: unknown): unknown => {
  if (typeof output !== 'string') return output;
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === 'string' ? parsed(value) : value;
  } catch {
    return output;
  }
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.keys(value).length === 0);

type Coverage = { scope: Scope; window: Window | null };

const rawOf = (value: unknown, { scope, window }: Coverage): RawResult => {
  const coverage = {
    scope,
    window,
    dataSpan: null,
    limitHit: false,
    sampled: false,
    partial: false,
    permissionFiltered: false,
    selectorKnown: null,
    untrustedPaths: [],
    suggestions: [],
  };
  if (isEmpty(value)) return { kind: 'ROWS', matched: 0, rows: [], ...coverage };
  if (Array.isArray(value)) {
    const rows = (value as Json[]).map((item): Json => (typeof item === 'string' ? { line: item } : item));
    return { kind: 'ROWS', matched: rows.length, rows, ...coverage };
  }
  if (typeof value === 'object')
    return { kind: 'OBJECT', object: value as JsonObject, events: [], ...coverage };
  const lines = String(value)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const rows = tableRows(lines) ?? fieldRows(lines);
  return { kind: 'ROWS', matched: rows.length, rows, ...coverage };
};

const text = (value: unknown): string | undefined =>
  value === null || value === undefined || value === '' || value === 'None' || value === false
    ? undefined
    : String(value as string | number);

const scopeOf = (args: Record<string, unknown>): Scope => {
  const { namespace, service_name: service, ...rest } = args;
  const filter = Object.entries(rest)
    .flatMap(([key, value]) => (text(value) === undefined ? [] : [`${key}=${text(value)}`]))
    .sort()
    .join(', ');
  return {
    ...(text(namespace) === undefined ? {} : { namespace: text(namespace) }),
    ...(text(service) === undefined ? {} : { service: text(service) }),
    ...(filter === '' ? {} : { filter }),
  };
};

/** Log tools look back over an hour here: the snapshots name no window, and windows are to be tested. */
const windowOf = (tool: string, asOf: string): Window | null =>
  /Logs|Alerts/.test(tool)
    ? { from: new Date(Date.parse(asOf) - 3_600_000).toISOString(), to: new Date(asOf).toISOString() }
    : null;

export const ledgerEntryOf = ({ tool, args, output }: Printed, index: number, asOf: string): LedgerEntry => {
  const scope = scopeOf(args);
  const window = windowOf(tool, asOf);
  const raw = rawOf(parsed(output), { scope, window });
  const projection = projectResult(tool, raw, { bytesMax: BYTES_MAX, redactor });
  const found = raw.kind === 'OBJECT' || (raw.kind === 'ROWS' && raw.rows.length > 0);
  return LedgerEntry.parse({
    toolCallId: `call_${sha256(`${index}${tool}${JSON.stringify(args)}`).slice(0, 24)}`,
    providerId: null,
    tool,
    toolset: 'snapshot',
    arguments: args,
    source: 'snapshot',
    status: 'READY',
    evidenceStatus: found ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    errorClass: null,
    scope,
    window,
    dataSpan: null,
    projection: {
      sha256: sha256(projection.text),
      bytes: Buffer.byteLength(projection.text),
      inline: projection.text,
    },
    matched: projection.matched,
    returned: projection.returned,
    truncated: projection.truncated,
    limitHit: false,
    sampled: false,
    partial: false,
    permissionFiltered: false,
    selectorKnown: null,
    redactedCount: projection.redactedCount,
    untrustedPaths: [],
    contentHash: hashOf({ tool, rows: projection.contentHash }),
    asOf: new Date(asOf).toISOString(),
    ms: 1,
  });
};

import { sha256 } from '@inquest/contracts/canonical-json';
import type { EvidenceStatus, InvocationStatus, LedgerEntry } from '@inquest/contracts/ledger';
import type { LedgerRecord } from './guard-input';
import { TextIndex } from './text-index';

export const KNOWLEDGE_TOOL = 'knowledge_lookup';

/** An invocation as rules see it. Without `index` nothing of its content can be relied on. */
export type Call = {
  toolCallId: string;
  tool: string;
  status: InvocationStatus;
  evidenceStatus: EvidenceStatus | null;
  entry: LedgerEntry | null;
  /** The projection, once its digest has been found right. */
  index: TextIndex | null;
  /** What is known about the call besides its output: tool, arguments, scope, window, status, limits. */
  about: TextIndex;
  /** Why the record cannot be trusted, or null. */
  defect: 'DIGEST' | 'NOT_JSON' | null;
};

export type LedgerView = {
  calls: readonly Call[];
  byId: ReadonlyMap<string, Call>;
  repeatedIds: readonly string[];
  /** sha256 by projection, of those whose digest was found right. */
  digests: ReadonlyMap<string, string>;
};

export const foundNothing = (call: Call): boolean =>
  call.status === 'READY' && call.evidenceStatus === 'NO_EVIDENCE';

const indexOf = (value: unknown): TextIndex => new TextIndex(undefined, value);

const resultCall = ({ entry, projection }: Extract<LedgerRecord, { kind: 'RESULT' }>): Call => {
  const { tool, arguments: args, scope, window, dataSpan, status, evidenceStatus, errorClass, asOf } = entry;
  const { matched, returned, truncated, limitHit, sampled, partial, permissionFiltered, selectorKnown } =
    entry;
  const limits = {
    matched,
    returned,
    truncated,
    limitHit,
    sampled,
    partial,
    permissionFiltered,
    selectorKnown,
  };
  const call = {
    toolCallId: entry.toolCallId,
    tool: entry.tool,
    status: entry.status,
    evidenceStatus: entry.evidenceStatus,
    entry,
    about: indexOf({ tool, args, scope, window, dataSpan, status, evidenceStatus, errorClass, asOf, limits }),
  };
  if (sha256(projection) !== entry.projection.sha256) return { ...call, index: null, defect: 'DIGEST' };
  try {
    return { ...call, index: new TextIndex(projection, JSON.parse(projection)), defect: null };
  } catch {
    return { ...call, index: null, defect: 'NOT_JSON' };
  }
};

const callOf = (record: LedgerRecord): Call => {
  if (record.kind === 'RESULT') return resultCall(record);
  const { kind, toolCallId, tool } = record;
  const about = indexOf({ toolCallId, tool, status: kind, errorClass: 'STEP_TIMED_OUT' });
  return {
    toolCallId,
    tool,
    status: kind,
    evidenceStatus: null,
    entry: null,
    index: null,
    about,
    defect: null,
  };
};

/** The first record of an id stands; a second one is a defect of the ledger, never a replacement (H2). */
export const ledgerView = (records: readonly LedgerRecord[]): LedgerView => {
  const calls = records.map(callOf);
  const byId = new Map<string, Call>();
  const repeatedIds: string[] = [];
  for (const call of calls) {
    if (byId.has(call.toolCallId)) repeatedIds.push(call.toolCallId);
    else byId.set(call.toolCallId, call);
  }
  const digests = new Map(
    calls.flatMap(({ entry, index }): [string, string][] =>
      entry && index ? [[index.text, entry.projection.sha256]] : [],
    ),
  );
  return { calls, byId, repeatedIds, digests };
};

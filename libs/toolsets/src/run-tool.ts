import { canonicalJson, hashOf, sha256, type Json } from '@inquest/contracts/canonical-json';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry, ToolErrorClass } from '@inquest/contracts/ledger';
import { INLINE_BYTES_MAX } from '@inquest/contracts/payload';
import { ARGUMENTS_CHARS_MAX } from '@inquest/contracts/agent-facts';
import type { Redactor } from '@inquest/redaction/redactor';
import { SourceFailure, type IncidentSource } from './incident-source';
import type { IncidentSources } from './incident-sources';
import { projectResult } from './projection';
import { ArgumentsRefused, type RawResult, type ReadOnlyTool, type ToolContext } from './tool';

/** An accepted tool call, as the harness requests it. */
export type ToolCall = {
  toolCallId: ToolCallId;
  providerId: string | null;
  tool: string;
  argumentsText: string;
  /** Name of a configured source, or null. */
  source: string | null;
  /** The instant of the request, ISO 8601. */
  asOf: string;
  projectionBytesMax: number;
};

export type ToolRunner = {
  tools: ReadonlyMap<string, ReadOnlyTool>;
  sources: IncidentSources;
  redactor: Redactor;
  /** Aborts when the run is cancelled. */
  signal: AbortSignal;
  /** A monotonic clock in ms. */
  nowMs?: () => number;
  /** Hears of every failure with its cause, for the service's own log. */
  onFailure?: (report: {
    toolCallId: string;
    tool: string;
    errorClass: ToolErrorClass;
    cause: unknown;
  }) => void;
};

export const toolsByName = (tools: readonly ReadOnlyTool[]): ReadonlyMap<string, ReadOnlyTool> =>
  new Map(tools.map((tool) => [tool.name, tool]));

/** Constant texts: what a model and a person may know about a failure. The cause itself stays in the service's log. */
export const ERROR_TEXTS: Record<ToolErrorClass, string> = {
  UNKNOWN_TOOL: 'There is no tool of this name.',
  BAD_ARGUMENTS: 'The arguments do not fit the tool.',
  UNKNOWN_SOURCE: 'The run has no such data source.',
  TIMEOUT: 'The tool did not finish in its time.',
  SOURCE_FAILED: 'The tool ran, but its data source failed. Nothing is known about what was asked.',
  ACCESS_DENIED: 'The tool ran, but its data source refused access. Nothing is known about what was asked.',
  RESULT_UNUSABLE:
    'The tool ran, but its data source returned something unusable. Nothing is known about what was asked.',
  CANCELLED: 'The call was cancelled.',
  NOT_STARTED: 'The call was not started.',
  ATTEMPT_LOST: 'The call was lost with its worker.',
  STEP_TIMED_OUT: 'The call had no result when its time was over.',
};

/** A source that failed was asked, so its tool ran: READY. Everything else could not run: ERROR (H3). */
const RAN: ReadonlySet<ToolErrorClass> = new Set(['SOURCE_FAILED', 'ACCESS_DENIED', 'RESULT_UNUSABLE']);

type Failure = { kind: 'FAILURE'; errorClass: ToolErrorClass; issues?: string[]; cause?: unknown };
type Outcome = { kind: 'RESULT'; raw: RawResult } | Failure;
const failure = (errorClass: ToolErrorClass, extra: Pick<Failure, 'issues' | 'cause'> = {}): Failure => ({
  kind: 'FAILURE',
  errorClass,
  ...extra,
});

const ARGUMENTS_DEPTH_MAX = 16;

/** Arguments are written by a model: deep nesting would overflow whoever walks them later. */
const isShallow = (value: unknown, depth = 0): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (depth < ARGUMENTS_DEPTH_MAX && Object.values(value).every((item) => isShallow(item, depth + 1)));

/** The arguments as an object, or null for anything else, incomplete JSON above all: it is never repaired into a call. */
export const parseArguments = (text: string): Record<string, unknown> | null => {
  if (text.length > ARGUMENTS_CHARS_MAX) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !isShallow(value)) return null;
    return value as Record<string, unknown>;
  } catch {
    return null;
  }
};

const failureOf = (error: unknown, runSignal: AbortSignal, deadline: AbortSignal): Failure => {
  if (runSignal.aborted) return failure('CANCELLED', { cause: error });
  if (deadline.aborted) return failure('TIMEOUT', { cause: error });
  if (error instanceof ArgumentsRefused) return failure('BAD_ARGUMENTS', { issues: [error.issue] });
  if (error instanceof SourceFailure) return failure(error.errorClass, { cause: error });
  return failure('SOURCE_FAILED', { cause: error });
};

const rejectionOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

/** Ends with the tool, its time or the run, whichever comes first; a tool that ignores its signal is left behind. */
const execute = async (
  run: (context: ToolContext) => Promise<RawResult>,
  call: ToolCall,
  source: IncidentSource | null,
  timeoutMs: number,
  { signal: runSignal, redactor }: ToolRunner,
): Promise<Outcome> => {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const signal = AbortSignal.any([runSignal, deadline.signal]);
  const aborted = rejectionOnAbort(signal);
  aborted.catch(() => undefined);
  try {
    const raw = await Promise.race([run({ signal, source, asOf: call.asOf, redactor }), aborted]);
    return { kind: 'RESULT', raw };
  } catch (error) {
    return failureOf(error, runSignal, deadline.signal);
  } finally {
    clearTimeout(timer);
  }
};

const outcomeOf = async (
  call: ToolCall,
  args: Record<string, unknown> | null,
  runner: ToolRunner,
): Promise<Outcome> => {
  if (runner.signal.aborted) return failure('CANCELLED');
  const tool = runner.tools.get(call.tool);
  if (!tool) return failure('UNKNOWN_TOOL', { issues: [`tools: ${[...runner.tools.keys()].join(', ')}`] });
  if (args === null) return failure('BAD_ARGUMENTS', { issues: ['arguments: must be one JSON object'] });
  const prepared = tool.prepare(args);
  if (prepared.kind === 'BAD_ARGUMENTS') return failure('BAD_ARGUMENTS', { issues: prepared.issues });
  const source = call.source === null ? null : (runner.sources.find(call.source) ?? null);
  if (tool.needsSource && source === null) return failure('UNKNOWN_SOURCE');
  return execute(prepared.run, call, source, tool.timeoutMs, runner);
};

const inline = (text: string): LedgerEntry['projection'] => ({
  sha256: sha256(text),
  bytes: Buffer.byteLength(text, 'utf8'),
  inline: text,
});

type Base = Pick<
  LedgerEntry,
  'toolCallId' | 'providerId' | 'tool' | 'toolset' | 'arguments' | 'source' | 'asOf' | 'ms'
>;

const failedEntry = (base: Base, { errorClass, issues: told }: Failure, redactor: Redactor): LedgerEntry => {
  // Some repeat what a source said of the arguments: that is text of a third party like any other.
  const issues = told?.map((issue) => redactor.redactText(issue).text);
  const status = RAN.has(errorClass) ? 'READY' : 'ERROR';
  const error = { class: errorClass, message: ERROR_TEXTS[errorClass], ...(issues ? { issues } : {}) };
  return {
    ...base,
    status,
    evidenceStatus: 'ERROR',
    errorClass,
    scope: {},
    window: null,
    dataSpan: null,
    projection: inline(canonicalJson({ tool: base.tool, status, evidenceStatus: 'ERROR', error })),
    matched: null,
    returned: 0,
    truncated: false,
    limitHit: false,
    sampled: false,
    partial: false,
    permissionFiltered: false,
    selectorKnown: null,
    redactedCount: 0,
    untrustedPaths: [],
    contentHash: hashOf({ tool: base.tool, rows: { error: errorClass } }),
  };
};

const foundSomething = (raw: RawResult): boolean => {
  switch (raw.kind) {
    case 'ROWS':
      return raw.rows.length > 0;
    case 'SERIES':
      return raw.series.length > 0;
    case 'OBJECT':
      return raw.object !== null;
  }
};

const clipped = (text: string | undefined, charsMax: number) => text?.slice(0, charsMax).toWellFormed();

/** What the model wrote comes back with the result, in scope and suggestions, and passes the same border. */
const withCleanScope = (raw: RawResult, redactor: Redactor): RawResult => {
  const scope = redactor.redact({ ...raw.scope }).value as RawResult['scope'];
  // A mark may be longer than what it stands for.
  const clean = {
    service: clipped(scope.service, 253),
    namespace: clipped(scope.namespace, 253),
    env: clipped(scope.env, 253),
    filter: clipped(scope.filter, 500),
  };
  return {
    ...raw,
    scope: Object.fromEntries(Object.entries(clean).filter(([, text]) => text !== undefined)),
    suggestions: raw.suggestions.map((name) => redactor.redactText(name).text),
  };
};

/** As the model wrote them, without secrets and active text: people open them beside the result. */
export const cleanArguments = (
  args: Record<string, unknown> | null,
  redactor: Redactor,
): LedgerEntry['arguments'] =>
  args === null ? null : (redactor.redact(args as Json).value as LedgerEntry['arguments']);

const resultEntry = (base: Base, found: RawResult, bytesMax: number, redactor: Redactor): LedgerEntry => {
  const raw = withCleanScope(found, redactor);
  const projection = projectResult(base.tool, raw, { bytesMax, redactor });
  const documents = raw.kind === 'ROWS' ? raw.documents?.slice(0, projection.returned) : undefined;
  return {
    ...base,
    status: 'READY',
    evidenceStatus: foundSomething(raw) ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    errorClass: null,
    scope: raw.scope,
    window: raw.window,
    dataSpan: raw.dataSpan,
    projection: inline(projection.text),
    matched: projection.matched,
    returned: projection.returned,
    truncated: projection.truncated,
    limitHit: raw.limitHit,
    sampled: raw.sampled,
    partial: raw.partial,
    permissionFiltered: raw.permissionFiltered,
    selectorKnown: raw.selectorKnown,
    redactedCount: projection.redactedCount,
    untrustedPaths: [...raw.untrustedPaths],
    contentHash: projection.contentHash,
    ...(documents ? { documents } : {}),
  };
};

/**
 * Runs one call. Whatever happens, the outcome is a ledger entry and never an exception: an unknown tool, arguments
 * that fit nothing, a source that fails or hangs, and a result of any size. The projection is always inline and within
 * the smallest of the run's limit, the tool's limit and what a fact can carry.
 */
export const runTool = async (call: ToolCall, runner: ToolRunner): Promise<LedgerEntry> => {
  const nowMs = runner.nowMs ?? (() => performance.now());
  const startedAtMs = nowMs();
  const args = parseArguments(call.argumentsText);
  const outcome = await outcomeOf(call, args, runner);
  const tool = runner.tools.get(call.tool);
  const base = (): Base => ({
    toolCallId: call.toolCallId,
    providerId: call.providerId,
    tool: call.tool.slice(0, 128),
    toolset: tool?.toolset ?? 'none',
    arguments: cleanArguments(args, runner.redactor),
    source: call.source === null ? null : call.source.slice(0, 128),
    asOf: call.asOf,
    ms: Math.max(0, Math.round((nowMs() - startedAtMs) * 1_000) / 1_000),
  });
  const failed = (why: Failure): LedgerEntry => {
    runner.onFailure?.({
      toolCallId: call.toolCallId,
      tool: call.tool,
      errorClass: why.errorClass,
      cause: why.cause,
    });
    return failedEntry(base(), why, runner.redactor);
  };
  if (outcome.kind === 'FAILURE') return failed(outcome);
  const bytesMax = Math.min(
    call.projectionBytesMax,
    tool?.projectionBytesMax ?? INLINE_BYTES_MAX,
    INLINE_BYTES_MAX,
  );
  try {
    return resultEntry(base(), outcome.raw, bytesMax, runner.redactor);
  } catch (cause) {
    // E.g. NaN or nesting beyond the stack: the source sent what no projection can hold.
    return failed(failure('RESULT_UNUSABLE', { cause }));
  }
};

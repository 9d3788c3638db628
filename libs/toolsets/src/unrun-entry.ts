import { canonicalJson, hashOf, sha256 } from '@inquest/contracts/canonical-json';
import type { LedgerEntry, ToolErrorClass } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { cleanArguments, ERROR_TEXTS, parseArguments, type ToolCall } from './run-tool';

/** Nothing came back that a mark could be compared with, so that its key is of no matter. */
const redactor = createRedactor('unrun');

/** The record of a call that did not run: its run was over, or its time was. */
export const unrunEntry = (
  call: ToolCall,
  toolset: string,
  errorClass: Extract<ToolErrorClass, 'NOT_STARTED' | 'TIMEOUT'>,
): LedgerEntry => {
  const tool = call.tool.slice(0, 128);
  const error = { class: errorClass, message: ERROR_TEXTS[errorClass] };
  const text = canonicalJson({ tool, status: 'ERROR', evidenceStatus: 'ERROR', error });
  return {
    toolCallId: call.toolCallId,
    providerId: call.providerId,
    tool,
    toolset,
    arguments: cleanArguments(parseArguments(call.argumentsText), redactor),
    source: call.source,
    status: 'ERROR',
    evidenceStatus: 'ERROR',
    errorClass,
    scope: {},
    window: null,
    dataSpan: null,
    projection: { sha256: sha256(text), bytes: Buffer.byteLength(text, 'utf8'), inline: text },
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
    contentHash: hashOf({ tool, rows: { error: errorClass } }),
    asOf: call.asOf,
    ms: 0,
  };
};

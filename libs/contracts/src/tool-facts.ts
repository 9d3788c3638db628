import { z } from 'zod';
import { ARGUMENTS_CHARS_MAX } from './agent-facts';
import { type DataOf, defineFact } from './define-fact';
import { Instant, ToolCallId } from './ids';
import { LedgerEntry } from './ledger';

const toolWork = z.strictObject({
  toolCallId: ToolCallId,
  providerId: z.string().max(256).nullable(),
  tool: z.string().min(1).max(256),
  argumentsText: z.string().max(ARGUMENTS_CHARS_MAX),
  source: z.string().max(128).nullable(),
  asOf: Instant,
  projectionBytesMax: z.number().int().positive(),
  deadlineAt: Instant,
});

export const toolRequested = defineFact({
  type: 'inquest.req.tool.v1',
  subject: 'diag.<p>.<run>.req.tool.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'Run one accepted, read-only tool call.',
  schema: toolWork,
});
export type ToolRequested = DataOf<typeof toolRequested>;

export const ragRequested = defineFact({
  type: 'inquest.req.rag.v1',
  subject: 'diag.<p>.<run>.req.rag.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'Run one accepted knowledge lookup.',
  schema: toolWork,
});
export type RagRequested = DataOf<typeof ragRequested>;

export const toolResult = defineFact({
  type: 'inquest.res.tool.v1',
  subject: 'diag.<p>.<run>.res.tool.<step>',
  writers: ['agent-runner'],
  meaning: 'The canonical record of the invocation with its bounded, redacted projection.',
  schema: LedgerEntry,
});
export const ragResult = defineFact({
  type: 'inquest.res.rag.v1',
  subject: 'diag.<p>.<run>.res.rag.<step>',
  writers: ['knowledge-rag'],
  meaning: 'The canonical record of a lookup, with the exact ids of the documents it rendered.',
  schema: LedgerEntry,
});

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AttemptFailure, AttemptRecord, FailedAttempt } from '@inquest/contracts/model-call';
import type { ItemVerdict, Snapshot } from '@inquest/contracts/semantic-facts';
import type { AnswerSchema, ChatRequest } from '@inquest/model-client/chat-request';
import type { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { JUDGE_V1 } from '../prompts/judge-v1';
import { drawBoundary, judgeDocument } from './judge-document';
import { validateVerdicts, WireAnswer, type InvalidAnswer } from './verdict-validation';

export type Judgement =
  | { kind: 'JUDGED'; verdict: 'SUPPORTED' | 'UNSUPPORTED'; verdicts: ItemVerdict[]; record: AttemptRecord }
  | (FailedAttempt & { why?: InvalidAnswer });

export type JudgeOptions = {
  model: string;
  /** What the judge's model takes in, in UTF-8 bytes of the request's messages. */
  contextBytesMax: number;
};

/** The bound of a recorded result; more items than any draft can have. */
const ITEMS_MAX = 256;

const { $schema: _, ...SCHEMA } = z.toJSONSchema(WireAnswer, { io: 'input' });
const ANSWER: AnswerSchema = { name: 'semantic_verdicts', strict: true, schema: SCHEMA };

const failed = (failure: AttemptFailure, record: AttemptRecord | null = null): FailedAttempt => ({
  kind: 'FAILED',
  failure,
  retryAfterMs: null,
  record,
});

/** The isolated reviewer: one turn, no tools, no history, temperature 0, over one frozen snapshot. */
export class Judge {
  constructor(
    private readonly endpoint: ModelEndpoint,
    private readonly options: JudgeOptions,
  ) {}

  /** One attempt. Nothing is cut to fit: what does not fit is OVER_CONTEXT, before any call. */
  async judge(
    frozen: { snapshot: Snapshot; snapshotHash: string; text: string },
    attempt: { idempotencyKey: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<Judgement> {
    const { snapshot, snapshotHash, text } = frozen;
    // Zero claims would score full marks.
    if (snapshot.items.length === 0) return failed('INVALID_RESPONSE');
    const boundary = drawBoundary(text, () => randomBytes(16).toString('hex'));
    if (boundary === undefined) return failed('INVALID_RESPONSE');
    const request = this.requestOf(JSON.stringify(judgeDocument(snapshot, snapshotHash, boundary)));
    if (snapshot.items.length > ITEMS_MAX || bytesOf(request) > this.options.contextBytesMax)
      return failed('OVER_CONTEXT');
    const outcome = await this.endpoint.attempt({ request, ids: { kind: 'strict' }, ...attempt });
    if (outcome.kind === 'FAILED') return outcome;
    const { record } = outcome;
    // No tools were offered: a judge that calls one has not judged.
    if (outcome.kind === 'TOOL_CALLS') return failed('INVALID_RESPONSE', record);
    const validation = validateVerdicts(
      { text: outcome.text, finishReason: record.finishReason },
      snapshot,
      snapshotHash,
    );
    return validation.kind === 'VALID'
      ? { kind: 'JUDGED', verdict: validation.verdict, verdicts: validation.verdicts, record }
      : { ...failed('INVALID_RESPONSE', record), why: validation.why };
  }

  private requestOf(document: string): ChatRequest {
    return {
      model: this.options.model,
      messages: [
        { role: 'system', content: JUDGE_V1.text },
        { role: 'user', content: document },
      ],
      answer: ANSWER,
      temperature: 0,
    };
  }
}

export const bytesOf = ({ messages }: ChatRequest): number =>
  messages.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? '', 'utf8'), 0);

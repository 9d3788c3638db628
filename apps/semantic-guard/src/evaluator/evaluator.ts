import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EvaluatorRequested, EvaluatorResult } from '@inquest/contracts/case-facts';
import type { EvaluatorPrompt } from '@inquest/contracts/case-parts';
import { failed } from '@inquest/model-client/leased-call';
import type { AnswerSchema, ChatMessage, ChatRequest } from '@inquest/model-client/chat-request';
import type { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { bytesOf } from '../judge/judge';
import { drawBoundary } from '../judge/judge-document';
import { readEvaluation, WRITTEN, type InvalidEvaluation } from './evaluation-validation';
import { evaluatorMessages, shownText, type EvaluatorEvidence } from './evaluator-document';

/** What the endpoint is told of the answer; of the version of the request, as its parser is. */
export const answerOf = (version: EvaluatorPrompt): AnswerSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(WRITTEN[version], { io: 'input' });
  return { name: 'evaluation', strict: false, schema };
};

export type EvaluatorOptions = { model: string; contextBytesMax: number };

/** One isolated pass over all hypotheses and all evidence: a role of its own, with its own prompt and its own model. */
export class Evaluator {
  constructor(
    private readonly endpoint: ModelEndpoint,
    private readonly options: EvaluatorOptions,
  ) {}

  /** Never throws for anything the endpoint does. `why` is for the log. */
  async evaluate(
    request: EvaluatorRequested,
    evidence: ReadonlyMap<string, EvaluatorEvidence>,
    attempt: { idempotencyKey: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<{ result: EvaluatorResult; why?: InvalidEvaluation }> {
    const boundary = drawBoundary(shownText(request, evidence), () => randomBytes(16).toString('hex'));
    if (boundary === undefined) return { result: failed('INVALID_RESPONSE') };
    const chat = this.requestOf(request, evaluatorMessages(request, evidence, boundary));
    if (bytesOf(chat) > this.options.contextBytesMax) return { result: failed('OVER_CONTEXT') };
    const outcome = await this.endpoint.attempt({ request: chat, ids: { kind: 'strict' }, ...attempt });
    if (outcome.kind === 'FAILED') return { result: outcome };
    const { record } = outcome;
    if (outcome.kind === 'TOOL_CALLS') return { result: failed('INVALID_RESPONSE', record) };
    const reading = readEvaluation(
      { text: outcome.text, finishReason: record.finishReason },
      request,
      evidence,
    );
    return reading.kind === 'VALID'
      ? { result: { kind: 'EVALUATED', pass: request.pass, evaluation: reading.evaluation, record } }
      : { result: failed('INVALID_RESPONSE', record), why: reading.why };
  }

  private requestOf({ promptVersion }: EvaluatorRequested, messages: ChatMessage[]): ChatRequest {
    return { model: this.options.model, messages, answer: answerOf(promptVersion), temperature: 0 };
  }
}

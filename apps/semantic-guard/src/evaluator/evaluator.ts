import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { Evaluation, type EvaluatorRequested, type EvaluatorResult } from '@inquest/contracts/case-facts';
import { failed } from '@inquest/model-client/leased-call';
import type { AnswerSchema } from '@inquest/model-client/chat-request';
import type { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { drawBoundary } from '../judge/judge-document';
import { EVALUATOR_PROMPTS } from '../prompts/diagnosis-early';
import { readEvaluation, type InvalidEvaluation } from './evaluation-validation';
import { evaluatorDocument, shownText, type EvaluatorEvidence } from './evaluator-document';

const { $schema: _, ...SCHEMA } = z.toJSONSchema(Evaluation, { io: 'input' });
const ANSWER: AnswerSchema = { name: 'evaluation', strict: false, schema: SCHEMA };

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
    const document = JSON.stringify(evaluatorDocument(request, evidence, boundary));
    if (Buffer.byteLength(document, 'utf8') > this.options.contextBytesMax)
      return { result: failed('OVER_CONTEXT') };
    const outcome = await this.endpoint.attempt({
      request: {
        model: this.options.model,
        messages: [
          { role: 'system', content: EVALUATOR_PROMPTS[request.promptVersion].text },
          { role: 'user', content: document },
        ],
        // An older protocol's answer has another form, and is not forced into this one.
        ...(request.promptVersion === 'diagnosis_early_v2' ? { answer: ANSWER } : {}),
        temperature: 0,
      },
      ids: { kind: 'strict' },
      ...attempt,
    });
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
}

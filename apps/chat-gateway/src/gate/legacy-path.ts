import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { ProblemError } from '../http/problem-error';

const TIMEOUT_MS = 120_000;

/**
 * The chat as it was before the cut-over: the question goes there as it came and its answer comes back as it is, under
 * a header that says so. The caller's token is not passed on.
 */
export class LegacyPath {
  constructor(private readonly url: string | undefined) {}

  get configured(): boolean {
    return this.url !== undefined;
  }

  async forward(
    question: { body: unknown; tenant: string; idempotencyKey?: string },
    response: Response,
  ): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const answer = await this.ask(question, AbortSignal.any([left.signal, AbortSignal.timeout(TIMEOUT_MS)]));
    response.status(answer.status).setHeader('Inquest-Path', 'legacy');
    response.setHeader('Content-Type', answer.headers.get('content-type') ?? 'application/octet-stream');
    if (!answer.body) return void response.end();
    // Once the answer has begun, a broken old path can only break it off.
    await pipeline(Readable.fromWeb(answer.body), response).catch(() => response.destroy());
  }

  private async ask(
    { body, tenant, idempotencyKey }: { body: unknown; tenant: string; idempotencyKey?: string },
    signal: AbortSignal,
  ): Promise<globalThis.Response> {
    try {
      return await fetch(this.url ?? '', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          'inquest-tenant': tenant,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        redirect: 'error',
        signal,
      });
    } catch {
      throw new ProblemError(
        'legacy-unavailable',
        { detail: 'Ask again later.' },
        { 'Inquest-Path': 'legacy' },
      );
    }
  }
}

import OpenAI from 'openai';
import { z } from 'zod';

export type EmbeddingsConfig = { baseUrl: string; apiKey: string; model: string };

/** Texts in, vectors out, in the same order; one attempt. Rejects for anything but a whole answer. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

const DIMENSIONS_MAX = 8_192;
const Answer = z.object({
  data: z.array(
    z.object({ index: z.number().int(), embedding: z.array(z.number()).min(1).max(DIMENSIONS_MAX) }),
  ),
});

/** Length one, so that a product of two is their cosine. */
const normalised = (values: readonly number[]): Float32Array => {
  const length = Math.hypot(...values);
  if (!Number.isFinite(length) || length === 0) throw new Error('a vector without a direction');
  return Float32Array.from(values, (value) => value / length);
};

/** An OpenAI-compatible embeddings endpoint. */
export const embeddingsEndpoint = ({ baseUrl, apiKey, model }: EmbeddingsConfig): Embed => {
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    fetchOptions: { redirect: 'manual' },
    logLevel: 'off',
  });
  return async (texts, signal) => {
    const body = { model, input: [...texts], encoding_format: 'float' };
    const answer = Answer.parse(await client.post('/embeddings', { body, signal }));
    const vectors = new Array<Float32Array | undefined>(texts.length).fill(undefined);
    for (const { index, embedding } of answer.data) vectors[index] = normalised(embedding);
    const whole = vectors.filter((vector) => vector !== undefined);
    if (whole.length !== texts.length || new Set(whole.map(({ length }) => length)).size > 1)
      throw new Error('the endpoint did not answer with one vector of one length for each text');
    return whole;
  };
};

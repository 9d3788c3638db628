import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { ClusterAccess } from './cluster-access';
import { KubernetesFailure } from './kubernetes-failure';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Reading, and nothing else: there is no method that could send anything but a GET. */
export interface KubernetesApi {
  getJson(path: string, query: Query, signal: AbortSignal): Promise<unknown>;
  /** The text, and whether it was longer than `bytesMax`. */
  getText(
    path: string,
    query: Query,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<{ text: string; isCut: boolean }>;
}

/** One page of a list of large objects stays well below. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
/** A server that takes the request and is silent for so long is taken for dead, whatever time the call has left. */
const SILENCE_MS_MAX = 15_000;

const unreachable = (cause: unknown): KubernetesFailure =>
  new KubernetesFailure(null, 'SOURCE_FAILED', 'the Kubernetes API did not answer', cause);

const urlOf = (server: string, path: string, query: Query): URL => {
  const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(key, String(value));
  return url;
};

/** Sends one request and resolves with its answer's head; it is sent once and never again. */
const send = (url: URL, options: RequestOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const begin = url.protocol === 'http:' ? httpRequest : httpsRequest;
    const sent = begin(url, { ...options, method: 'GET' }, resolve);
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('silence')));
    sent.end();
  });

type Body = { bytes: Buffer; isCut: boolean };

/** Reads until the end or the bound; an answer that breaks off before its end is an error, never a shorter answer. */
const bodyOf = async (answer: IncomingMessage, bytesMax: number): Promise<Body> => {
  const chunks: Buffer[] = [];
  let held = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    held += chunk.length;
    if (held > bytesMax) {
      answer.destroy();
      return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: true };
    }
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
};

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new KubernetesFailure(null, 'RESULT_UNUSABLE', 'the Kubernetes API did not answer in JSON', cause);
  }
};

/** The message of a `Status`, for logs and for telling one 400 from another; it never reaches a model as it is. */
const messageOf = (bytes: Buffer): string => {
  try {
    const { message } = JSON.parse(bytes.toString('utf8')) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, 500) : '';
  } catch {
    return '';
  }
};

const refusal = (status: number, message: string): KubernetesFailure =>
  new KubernetesFailure(
    status,
    status === 401 || status === 403 ? 'ACCESS_DENIED' : 'SOURCE_FAILED',
    message || `the Kubernetes API answered ${status}`,
  );

/** The credential could not be had, e.g. a token file that is gone: nothing was sent. */
const authorized = async (access: ClusterAccess, options: RequestOptions): Promise<RequestOptions> => {
  try {
    await access.authorize(options);
    return options;
  } catch (cause) {
    throw new KubernetesFailure(null, 'ACCESS_DENIED', 'no credential for the Kubernetes API', cause);
  }
};

/** One request per call: nothing is repeated, and a redirection is not followed. */
export const kubernetesApi = (
  access: ClusterAccess,
  { answerBytesMax = ANSWER_BYTES_MAX, silenceMsMax = SILENCE_MS_MAX } = {},
): KubernetesApi => {
  const get = async (
    path: string,
    query: Query,
    accept: string,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Body> => {
    signal.throwIfAborted();
    const options = await authorized(access, {
      headers: { accept, 'user-agent': 'inquest' },
      signal,
      timeout: silenceMsMax,
    });
    try {
      const answer = await send(urlOf(access.server, path, query), options);
      const status = answer.statusCode ?? 0;
      if (status === 200) return await bodyOf(answer, bytesMax);
      throw refusal(status, messageOf((await bodyOf(answer, ERROR_BYTES_MAX)).bytes));
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof KubernetesFailure ? error : unreachable(error);
    }
  };
  return {
    getJson: async (path, query, signal) => {
      const { bytes, isCut } = await get(path, query, 'application/json', answerBytesMax, signal);
      if (isCut)
        throw new KubernetesFailure(null, 'RESULT_UNUSABLE', 'the answer of the Kubernetes API is too large');
      return parsed(bytes);
    },
    getText: async (path, query, bytesMax, signal) => {
      const { bytes, isCut } = await get(path, query, 'text/plain, */*', bytesMax, signal);
      return { text: bytes.toString('utf8'), isCut };
    },
  };
};

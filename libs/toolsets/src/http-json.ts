import { SourceFailure } from './incident-source';
import type { Json } from '@inquest/contracts/canonical-json';

/** One HTTP endpoint of a source. */
export type HttpEndpoint = {
  /** Base URL, with a path where the service lives below one. */
  url: string;
  /** Headers of every request, authorization among them: a function, since a mounted secret is renewed in place. */
  headers?: () => Record<string, string>;
  /** Above this an answer is unusable. */
  bytesMax?: number;
  /** Below the tool's own time-out, so that the failure names the source. */
  timeoutMs?: number;
};

export type HttpAnswer = { status: number; body: Json };

const BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_MS = 15_000;

const boundedBytes = async (response: Response, bytesMax: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read();
    if (!read || read.done) return Buffer.concat(chunks);
    bytes += read.value.byteLength;
    if (bytes > bytesMax) {
      await reader?.cancel();
      throw new SourceFailure('RESULT_UNUSABLE', `the answer is larger than ${bytesMax} bytes`);
    }
    chunks.push(read.value);
  }
};

const urlOf = (
  base: string,
  path: string,
  query: Readonly<Record<string, string | readonly string[]>>,
): URL => {
  const url = new URL(`${base.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const each of typeof value === 'string' ? [value] : value) url.searchParams.append(name, each);
  }
  return url;
};

/**
 * One GET, one attempt, no redirect: a source that sends its readers elsewhere is not the configured one. Resolves with
 * any status but 401, 403, 407 and 3xx, since sources say with 4xx what is wrong with a query.
 *
 * @throws SourceFailure: ACCESS_DENIED; SOURCE_FAILED for everything on the way; RESULT_UNUSABLE for an answer that is no
 * JSON or too large. An abort of `signal` rejects with its reason.
 */
export const getJson = async (
  endpoint: HttpEndpoint,
  path: string,
  query: Readonly<Record<string, string | readonly string[]>>,
  signal: AbortSignal,
): Promise<HttpAnswer> => {
  const { bytesMax = BYTES_MAX, timeoutMs = TIMEOUT_MS } = endpoint;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let bytes: Buffer;
  try {
    response = await fetch(urlOf(endpoint.url, path, query), {
      headers: { accept: 'application/json', ...endpoint.headers?.() },
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    bytes = await boundedBytes(response, bytesMax);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceFailure) throw error;
    throw new SourceFailure(
      'SOURCE_FAILED',
      timeout.aborted ? `no whole answer within ${timeoutMs} ms` : 'the connection failed',
      error,
    );
  }
  const { status } = response;
  if (status === 401 || status === 403 || status === 407)
    throw new SourceFailure('ACCESS_DENIED', `the source answered ${status}`);
  if (status >= 300 && status < 400)
    throw new SourceFailure('SOURCE_FAILED', `the source sends its readers elsewhere (${status})`);
  try {
    return { status, body: JSON.parse(bytes.toString('utf8')) as Json };
  } catch (error) {
    // A proxy's error page is no answer of the source; some say in plain text what they refuse.
    throw new SourceFailure(
      status >= 400 ? 'SOURCE_FAILED' : 'RESULT_UNUSABLE',
      `the answer (${status}) is no JSON`,
      error,
    );
  }
};

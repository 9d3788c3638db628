import type { AttemptFailure } from '@inquest/contracts/model-call';

const RETRY_AFTER_MS_MAX = 3_600_000;

/** What a status other than 2xx means for the attempt. `code` is the error's code in an OpenAI-shaped body. */
export const failureOfStatus = (status: number, code?: unknown): AttemptFailure => {
  if (status === 413 || (typeof code === 'string' && /context_length|context_window/i.test(code)))
    return 'OVER_CONTEXT';
  if (status === 429) return 'RATE_LIMITED';
  if (status === 408) return 'TIMEOUT';
  if (status >= 500) return 'SERVER_ERROR';
  if (typeof code === 'string' && /content_filter|content_policy/i.test(code)) return 'CONTENT_FILTER';
  return 'CLIENT_ERROR';
};

/** `retry-after-ms`, or `retry-after` as seconds or as an HTTP date; null for none and for nonsense. */
export const retryAfterOf = (headers: Headers | undefined, nowMs = Date.now()): number | null => {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  const text = headers?.get('retry-after') ?? '';
  const wanted = Number.isFinite(ms)
    ? ms
    : /^\s*\d+(\.\d+)?\s*$/.test(text)
      ? Number(text) * 1000
      : Date.parse(text) - nowMs;
  if (!Number.isFinite(wanted)) return null;
  return Math.min(Math.max(Math.round(wanted), 0), RETRY_AFTER_MS_MAX);
};

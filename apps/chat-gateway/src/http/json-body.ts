import type { Request } from 'express';
import { badRequest, ProblemError } from './problem-error';

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** The parsed body of a route that needs one; body-parser has bounded and parsed it. */
export const jsonBody = (request: Request): unknown => {
  if (!hasBody(request)) throw badRequest('A JSON body is needed; see /openapi.json.');
  if (!request.is('application/json'))
    throw new ProblemError('unsupported-media-type', { detail: 'Send Content-Type: application/json.' });
  return request.body as unknown;
};

/** For a route that takes none: nothing at all, or an empty object from clients that always send one. */
export const noBody = (request: Request): void => {
  if (!hasBody(request)) return;
  const body = jsonBody(request);
  const empty =
    typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
  if (!empty) throw badRequest('This takes no body.');
};

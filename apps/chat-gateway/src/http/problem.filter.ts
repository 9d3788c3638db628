import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { problem } from '@inquest/contracts/problem';
import { EventLogUnavailable } from '@inquest/event-log/event-log';
import type { Request, Response } from 'express';
import { badRequest, ProblemError } from './problem-error';
import { methodsOf } from './operations';

/** What body-parser throws; its `type` is the only stable part. */
type ParserError = Error & { type?: unknown; status?: unknown };

const parserProblem = ({ type, status }: ParserError): ProblemError | undefined => {
  switch (type) {
    case 'entity.too.large':
      return new ProblemError('payload-too-large', { detail: 'A body may have 65536 bytes.' });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ProblemError('unsupported-media-type', { detail: 'Send UTF-8 without a content encoding.' });
    default:
      return status === 400 ? badRequest('The request could not be read.') : undefined;
  }
};

const unknownRoute = ({ path, method }: Request): ProblemError => {
  const methods = methodsOf(path);
  if (methods.length === 0 || methods.includes(method)) return new ProblemError('not-found');
  return new ProblemError(
    'method-not-allowed',
    { detail: `It answers ${methods.join(', ')}.` },
    { Allow: methods.join(', ') },
  );
};

/** Sorts everything that can be thrown, in one place. `undefined`: nobody foresaw it. */
const problemErrorOf = (error: unknown, request: Request): ProblemError | undefined => {
  if (error instanceof ProblemError) return error;
  if (error instanceof EventLogUnavailable) {
    return new ProblemError(
      'log-unavailable',
      { detail: 'Ask again in a few seconds.' },
      { 'Retry-After': '2' },
    );
  }
  if (error instanceof HttpException) {
    if (error.getStatus() === 404) return unknownRoute(request);
    // Nest turns a body that is no JSON and a path that cannot be decoded into this.
    if (error.getStatus() === 400) return badRequest('The body is not JSON, or the path cannot be decoded.');
    return undefined;
  }
  return error instanceof Error ? parserProblem(error) : undefined;
};

/** Every error answer is RFC 9457 `application/problem+json`; the text of an unforeseen error stays in our log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const known = problemErrorOf(error, request);
    if (!known || known.problem.status === 500) {
      this.logger.error(
        `${request.method} ${request.path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    if (response.headersSent) return void response.destroy();
    const body = known?.problem ?? problem('internal');
    for (const [name, value] of Object.entries(known?.headers ?? {})) response.setHeader(name, value);
    response
      .status(body.status)
      .type('application/problem+json')
      .send(JSON.stringify({ ...body, instance: request.path.slice(0, 300) }));
  }
}

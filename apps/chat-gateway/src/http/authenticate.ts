import type { NextFunction, Request, Response } from 'express';
import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Caller, Callers } from './callers';
import { ProblemError } from './problem-error';
import { SCOPES_METADATA, type Scope } from './scopes';

export type AuthenticatedRequest = Request & { caller?: Caller };

/**
 * Runs before a body is read, so that nobody unknown makes the gateway parse anything. What lies outside `/v1` needs
 * no token; below it even an unknown route is told to holders of one only.
 */
export const authenticate =
  (callers: Callers) =>
  (request: AuthenticatedRequest, _response: Response, next: NextFunction): void => {
    if (!/^\/v1(\/|$)/i.test(request.path)) return next();
    request.caller = callers.byHeader(request.get('authorization'));
    if (request.caller) return next();
    next(
      new ProblemError(
        'unauthorized',
        { detail: 'Send `Authorization: Bearer <token>` with a token of this installation.' },
        { 'WWW-Authenticate': 'Bearer realm="inquest"' },
      ),
    );
  };

/** Applies each route's `@Scopes`; a route that declares none is closed. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const scopes = this.reflector.get<Scope[] | undefined>(SCOPES_METADATA, context.getHandler());
    if (scopes?.length === 0) return true;
    const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (caller && scopes?.some((scope) => caller.scopes.has(scope))) return true;
    throw new ProblemError('forbidden', {
      detail: `This needs one of the scopes: ${(scopes ?? []).join(', ')}.`,
    });
  }
}

/** The caller of a route that is not public. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!caller) throw new ProblemError('unauthorized');
  return caller;
});

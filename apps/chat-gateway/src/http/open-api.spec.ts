import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { CasesController } from '../cases/cases.controller';
import { BundlesController } from '../bundles/bundles.controller';
import { EvidenceController } from '../evidence/evidence.controller';
import { AlertsController } from '../alerts/alerts.controller';
import { RunsController } from '../runs/runs.controller';
import { EventsController } from '../stream/events.controller';
import { SystemController } from '../system/system.controller';
import { openApi } from './open-api';
import { methodsOf, OPERATIONS } from './operations';
import { SCOPES_METADATA } from './scopes';

type Route = { method: string; path: string; scopes: unknown };

/** What Nest will answer, read where Nest reads it. */
const routesOf = (controller: new (...parts: never[]) => object): Route[] => {
  const base = String(Reflect.getMetadata(PATH_METADATA, controller));
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
    const parts = [base, String(Reflect.getMetadata(PATH_METADATA, handler))]
      .flatMap((part) => part.split('/'))
      .filter(Boolean);
    return {
      method: RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod],
      path: `/${parts.map((part) => part.replace(/^:(.+)$/, '{$1}')).join('/')}`,
      scopes: Reflect.getMetadata(SCOPES_METADATA, handler) as unknown,
    };
  });
};

const ROUTES = [
  RunsController,
  AlertsController,
  CasesController,
  EventsController,
  EvidenceController,
  BundlesController,
  SystemController,
].flatMap((controller) => routesOf(controller));
const byPlace = (a: { path: string; method: string }, b: { path: string; method: string }): number =>
  a.path.localeCompare(b.path) || a.method.localeCompare(b.method);

describe('The API’s description', () => {
  it('has every route with its scopes, and no other', () => {
    const described = OPERATIONS.map(({ method, path, scopes }) => ({ method, path, scopes: [...scopes] }));
    expect([...described].sort(byPlace)).toEqual([...ROUTES].sort(byPlace));
  });

  it('refers to nothing that it does not hold', () => {
    const text = JSON.stringify(openApi());
    const { schemas } = openApi()['components'] as { schemas: Record<string, unknown> };
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(Object.keys(schemas)).toContain(name);
    expect(Object.keys(schemas).sort()).toEqual([
      'AlertNotification',
      'AlertRun',
      'CaseAccepted',
      'CaseFrame',
      'CaseList',
      'CaseReviews',
      'CaseView',
      'EvidenceBundle',
      'Explanation',
      'Health',
      'LedgerEntry',
      'NewCase',
      'NewRun',
      'Problem',
      'Readiness',
      'RunAccepted',
      'RunFrame',
      'RunList',
      'RunView',
      'SystemView',
    ]);
  });

  it('says what a body may hold', () => {
    const { schemas } = openApi()['components'] as {
      schemas: Record<string, { required?: string[]; additionalProperties?: unknown }>;
    };
    expect(schemas['NewRun']).toMatchObject({
      type: 'object',
      required: ['question'],
      additionalProperties: false,
    });
  });

  it('names a problem for everybody without a token', () => {
    const paths = openApi()['paths'] as Record<
      string,
      Record<string, { responses: Record<string, unknown>; security: unknown[] }>
    >;
    for (const { path, method, scopes } of OPERATIONS.filter((operation) => operation.scopes.length > 0)) {
      const operation = paths[path]?.[method.toLowerCase()];
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403']));
      expect(operation?.security).toEqual([{ bearer: [...scopes] }]);
    }
  });
});

describe('The methods of a path', () => {
  it.each([
    ['/v1/runs', ['POST', 'GET', 'HEAD']],
    ['/v1/runs/', ['POST', 'GET', 'HEAD']],
    ['/v1/runs/abc', ['GET', 'HEAD']],
    ['/v1/runs/abc/cancel', ['POST']],
    ['/v1/runs/abc/cancel/now', []],
    ['/openapi.json', ['GET', 'HEAD']],
    ['/openapixjson', []],
    ['/', ['GET', 'HEAD']],
  ])('%s are %j', (path, methods) => expect(methodsOf(path)).toEqual(methods));
});

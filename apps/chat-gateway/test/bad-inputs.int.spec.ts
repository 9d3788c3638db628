import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { PROBLEMS, Problem, type ProblemKind } from '@inquest/contracts/problem';
import { CaseAccepted } from '@inquest/contracts/case-view';
import { RunAccepted } from '@inquest/contracts/run-view';
import { OPERATIONS } from '../src/http/operations';
import { randomRunId } from '../src/runs/run-id';
import { BAD_CASES } from './bad-case-inputs';
import { call, TOKENS, World, type CallOptions, type Gateway } from './harness';

const Q = { question: 'Why is checkout slow?' };
const NO_RUN = randomRunId();
const RUN = '{run}';

type Bad = [what: string, method: string, path: string, options: CallOptions, kind: ProblemKind];

const ask = TOKENS.ask;

const WEBHOOK = '/v1/webhooks/alertmanager/shop-pool';
const NOTIFICATION = {
  version: '4',
  groupKey: '{}:{alertname="Slow"}',
  status: 'firing',
  alerts: [{ status: 'firing', labels: {}, startsAt: '2026-05-01T10:00:00Z', fingerprint: 'f' }],
};
const BAD_NOTIFICATIONS: Bad[] = (
  [
    ['a notification without a body', undefined, 'bad-request'],
    ['a notification of another version', { ...NOTIFICATION, version: '5' }, 'bad-request'],
    ['a notification without alerts', { ...NOTIFICATION, alerts: [] }, 'bad-request'],
    [
      'an alert that began no one knows when',
      { ...NOTIFICATION, alerts: [{ ...NOTIFICATION.alerts[0], startsAt: 'yesterday' }] },
      'bad-request',
    ],
    [
      'more alerts than a notification carries',
      { ...NOTIFICATION, alerts: Array(1_001).fill(NOTIFICATION.alerts[0]) },
      'payload-too-large',
    ],
  ] as const
).map(([what, body, kind]) => [what, 'POST', WEBHOOK, { token: TOKENS.alert, body }, kind]);

const BAD: Bad[] = [
  ...BAD_NOTIFICATIONS,
  [
    'an alert of a source that is not configured',
    'POST',
    '/v1/webhooks/alertmanager/elsewhere',
    { token: TOKENS.alert, body: NOTIFICATION },
    'unknown-source',
  ],
  [
    'an alert of a path',
    'POST',
    '/v1/webhooks/alertmanager/..%2Fetc',
    { token: TOKENS.alert, body: NOTIFICATION },
    'bad-request',
  ],
  ['a notification by somebody who asks', 'POST', WEBHOOK, { token: ask, body: NOTIFICATION }, 'forbidden'],
  ['a question by an Alertmanager', 'POST', '/v1/runs', { token: TOKENS.alert, body: Q }, 'forbidden'],
  ['nothing at all', 'POST', '/v1/runs', { token: ask }, 'bad-request'],
  ['no JSON', 'POST', '/v1/runs', { token: ask, body: '{"question":' }, 'bad-request'],
  ['JSON that is no object', 'POST', '/v1/runs', { token: ask, body: '"why"' }, 'bad-request'],
  [
    'a member that is none',
    'POST',
    '/v1/runs',
    { token: ask, body: { ...Q, cause: 'the pool' } },
    'bad-request',
  ],
  ['no question', 'POST', '/v1/runs', { token: ask, body: { source: 'shop-pool' } }, 'bad-request'],
  ['an empty question', 'POST', '/v1/runs', { token: ask, body: { question: '  ' } }, 'bad-request'],
  [
    'a question of 4001 characters',
    'POST',
    '/v1/runs',
    { token: ask, body: { question: 'x'.repeat(4_001) } },
    'bad-request',
  ],
  [
    'a path for a source',
    'POST',
    '/v1/runs',
    { token: ask, body: { ...Q, source: '../../etc' } },
    'bad-request',
  ],
  [
    'a source that is not configured',
    'POST',
    '/v1/runs',
    { token: ask, body: { ...Q, source: 'elsewhere' } },
    'unknown-source',
  ],
  [
    'a window that ends before it begins',
    'POST',
    '/v1/runs',
    { token: ask, body: { ...Q, window: { from: '2024-05-02T00:00:00Z', to: '2024-05-01T00:00:00Z' } } },
    'bad-request',
  ],
  ['an unknown zone', 'POST', '/v1/runs', { token: ask, body: { ...Q, zone: 'Mars/Base' } }, 'bad-request'],
  [
    'a grace of a day',
    'POST',
    '/v1/runs',
    { token: ask, body: { ...Q, disconnectGraceMs: 86_400_000 } },
    'bad-request',
  ],
  [
    'a body of 70 KB',
    'POST',
    '/v1/runs',
    { token: ask, body: { question: 'x'.repeat(70_000) } },
    'payload-too-large',
  ],
  [
    'a form',
    'POST',
    '/v1/runs',
    { token: ask, body: 'question=why', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'unsupported-media-type',
  ],
  [
    'compressed JSON',
    'POST',
    '/v1/runs',
    { token: ask, body: 'x', headers: { 'content-encoding': 'gzip' } },
    'unsupported-media-type',
  ],
  [
    'a foreign character set',
    'POST',
    '/v1/runs',
    { token: ask, body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
    'unsupported-media-type',
  ],
  [
    'a key with a blank',
    'POST',
    '/v1/runs',
    { token: ask, body: Q, headers: { 'idempotency-key': 'a b' } },
    'bad-request',
  ],
  [
    'a key of 256 characters',
    'POST',
    '/v1/runs',
    { token: ask, body: Q, headers: { 'idempotency-key': 'k'.repeat(256) } },
    'bad-request',
  ],
  ['no token', 'POST', '/v1/runs', { body: Q }, 'unauthorized'],
  ['a token that is none', 'POST', '/v1/runs', { body: Q, token: 'token-of-nobody-at-all' }, 'unauthorized'],
  ['a token without the scope', 'POST', '/v1/runs', { body: Q, token: TOKENS.watch }, 'forbidden'],

  ['an unknown parameter', 'GET', '/v1/runs?tenant=globex', { token: ask }, 'bad-request'],
  ['a limit of 0', 'GET', '/v1/runs?limit=0', { token: ask }, 'bad-request'],
  ['a limit of 101', 'GET', '/v1/runs?limit=101', { token: ask }, 'bad-request'],
  ['a limit that is no number', 'GET', '/v1/runs?limit=ten', { token: ask }, 'bad-request'],
  ['a cursor that is none', 'GET', '/v1/runs?cursor=abc', { token: ask }, 'bad-request'],
  ['a session with a blank', 'GET', '/v1/runs?sessionId=a%20b', { token: ask }, 'bad-request'],
  ['two sessions', 'GET', '/v1/runs?sessionId=a&sessionId=b', { token: ask }, 'bad-request'],
  ['no token', 'GET', '/v1/runs', {}, 'unauthorized'],
  ['another method', 'DELETE', '/v1/runs', { token: ask }, 'method-not-allowed'],

  ['an id that is none', 'GET', '/v1/runs/42', { token: ask }, 'bad-request'],
  ['a UUID of another version', 'GET', `/v1/runs/${randomUUID()}`, { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/runs/${NO_RUN}`, { token: ask }, 'not-found'],
  ['a path that cannot be decoded', 'GET', '/v1/runs/%FF', { token: ask }, 'bad-request'],
  ['wildcards', 'GET', '/v1/runs/*', { token: ask }, 'bad-request'],
  ['no token', 'GET', `/v1/runs/${RUN}`, {}, 'unauthorized'],
  ['another method', 'PUT', `/v1/runs/${RUN}`, { token: ask, body: {} }, 'method-not-allowed'],

  ['an id that is none', 'GET', '/v1/runs/42/events', { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/runs/${NO_RUN}/events`, { token: ask }, 'not-found'],
  [
    'a Last-Event-ID that is none',
    'GET',
    `/v1/runs/${RUN}/events`,
    { token: ask, headers: { 'last-event-id': 'seven' } },
    'bad-request',
  ],
  [
    'a Last-Event-ID of another partition',
    'GET',
    `/v1/runs/${RUN}/events`,
    { token: ask, headers: { 'last-event-id': '99-1' } },
    'bad-request',
  ],
  [
    'a stream token that is none',
    'GET',
    `/v1/runs/${RUN}/events?stream_token=abc`,
    { token: ask },
    'forbidden',
  ],
  ['an unknown parameter', 'GET', `/v1/runs/${RUN}/events?token=abc`, { token: ask }, 'bad-request'],
  ['no token', 'GET', `/v1/runs/${RUN}/events`, {}, 'unauthorized'],
  ['another method', 'POST', `/v1/runs/${RUN}/events`, { token: ask, body: {} }, 'method-not-allowed'],

  ['an id that is none', 'POST', '/v1/runs/42/cancel', { token: ask }, 'bad-request'],
  ['an id that nobody has', 'POST', `/v1/runs/${NO_RUN}/cancel`, { token: ask }, 'not-found'],
  ['a body', 'POST', `/v1/runs/${RUN}/cancel`, { token: ask, body: { force: true } }, 'bad-request'],
  ['a body that is no JSON', 'POST', `/v1/runs/${RUN}/cancel`, { token: ask, body: '{' }, 'bad-request'],
  [
    'a text',
    'POST',
    `/v1/runs/${RUN}/cancel`,
    { token: ask, body: 'now', headers: { 'content-type': 'text/plain' } },
    'unsupported-media-type',
  ],
  ['a token that only watches', 'POST', `/v1/runs/${RUN}/cancel`, { token: TOKENS.watch }, 'forbidden'],
  ['another method', 'GET', `/v1/runs/${RUN}/cancel`, { token: ask }, 'method-not-allowed'],

  ['a run id that is none', 'GET', '/v1/runs/42/evidence/call_1', { token: ask }, 'bad-request'],
  ['a call id that cannot be', 'GET', `/v1/runs/${RUN}/evidence/a%20b`, { token: ask }, 'bad-request'],
  [
    'a call id of 129 characters',
    'GET',
    `/v1/runs/${RUN}/evidence/${'c'.repeat(129)}`,
    { token: ask },
    'bad-request',
  ],
  ['a call that is none', 'GET', `/v1/runs/${RUN}/evidence/call_1`, { token: TOKENS.audit }, 'not-found'],
  [
    'a run that nobody has',
    'GET',
    `/v1/runs/${NO_RUN}/evidence/call_1`,
    { token: TOKENS.audit },
    'not-found',
  ],
  [
    'a token that only watches',
    'GET',
    `/v1/runs/${RUN}/evidence/call_1`,
    { token: TOKENS.watch },
    'forbidden',
  ],
  ['no call id', 'GET', `/v1/runs/${RUN}/evidence/`, { token: ask }, 'not-found'],

  ['a run id that is none', 'GET', '/v1/runs/42/bundle', { token: TOKENS.audit }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/runs/${NO_RUN}/bundle`, { token: TOKENS.audit }, 'not-found'],
  ['another tenant’s run', 'GET', `/v1/runs/${RUN}/bundle`, { token: TOKENS.other }, 'not-found'],
  ['a run that goes on', 'GET', `/v1/runs/${RUN}/bundle`, { token: TOKENS.operate }, 'not-ended'],
  ['a token that only asks', 'GET', `/v1/runs/${RUN}/bundle`, { token: ask }, 'forbidden'],
  ['a token that only watches', 'GET', `/v1/runs/${RUN}/bundle`, { token: TOKENS.watch }, 'forbidden'],
  ['no token', 'GET', `/v1/runs/${RUN}/bundle`, {}, 'unauthorized'],
  ['another method', 'DELETE', `/v1/runs/${RUN}/bundle`, { token: TOKENS.operate }, 'method-not-allowed'],

  ['a run id that is none', 'GET', '/v1/runs/*/explanation', { token: ask }, 'bad-request'],
  ['a UUID of another version', 'GET', `/v1/runs/${randomUUID()}/explanation`, { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/runs/${NO_RUN}/explanation`, { token: ask }, 'not-found'],
  ['another tenant’s run', 'GET', `/v1/runs/${RUN}/explanation`, { token: TOKENS.other }, 'not-found'],
  ['a run that goes on', 'GET', `/v1/runs/${RUN}/explanation`, { token: ask }, 'not-ended'],
  ['a token that only watches', 'GET', `/v1/runs/${RUN}/explanation`, { token: TOKENS.watch }, 'forbidden'],
  ['no token', 'GET', `/v1/runs/${RUN}/explanation`, {}, 'unauthorized'],
  ['another method', 'POST', `/v1/runs/${RUN}/explanation`, { token: ask, body: {} }, 'method-not-allowed'],

  ...BAD_CASES,

  ['no token', 'GET', '/v1/system', {}, 'unauthorized'],
  ['a token in the query', 'GET', `/v1/system?token=${TOKENS.operate}`, {}, 'unauthorized'],
  [
    'another scheme',
    'GET',
    '/v1/system',
    { headers: { authorization: `Basic ${TOKENS.operate}` } },
    'unauthorized',
  ],
  ['a token that only asks', 'GET', '/v1/system', { token: ask }, 'forbidden'],
  ['a token that only audits', 'GET', '/v1/system', { token: TOKENS.audit }, 'forbidden'],
  ['another method', 'POST', '/v1/system', { token: TOKENS.operate, body: {} }, 'method-not-allowed'],

  ['an unknown route', 'GET', '/v2/runs', { token: ask }, 'not-found'],
  ['an unknown route below /v1 without a token', 'GET', '/v1/secrets', {}, 'unauthorized'],
  ['an unknown route below /v1', 'GET', '/v1/secrets', { token: ask }, 'not-found'],
  ['another method', 'POST', '/healthz', { body: {} }, 'method-not-allowed'],
  ['another method', 'DELETE', '/readyz', {}, 'method-not-allowed'],
  ['another method', 'PATCH', '/openapi.json', { body: {} }, 'method-not-allowed'],
  ['a path that climbs', 'GET', '/..%2f..%2fetc/passwd', {}, 'not-found'],
];

describe('Bad input', () => {
  let world: World;
  let gateway: Gateway;
  let runId: string;
  let caseId: string;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
    const response = await call(gateway, 'POST', '/v1/runs', { token: ask, body: { ...Q, detached: true } });
    ({ runId } = RunAccepted.parse(await response.json()));
    const opened = await call(gateway, 'POST', '/v1/cases', { token: ask, body: Q });
    ({ caseId } = CaseAccepted.parse(await opened.json()));
  });
  afterAll(() => world.stop());

  it.each(BAD)('%s: %s %s', async (_, method, path, options, kind) => {
    const response = await call(gateway, method, path.replace(RUN, runId).replace('{case}', caseId), options);
    expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
      status: PROBLEMS[kind].status,
      type: 'application/problem+json; charset=utf-8',
    });
    const text = await response.text();
    const problem = Problem.parse(JSON.parse(text));
    expect(problem.type).toBe(`urn:inquest:problem:${kind}`);
    // Neither a stack, nor a module's name, nor the token that was sent comes back.
    expect(text).not.toMatch(/node_modules|at \w+ \(|Error:|token-of-/);
    if (kind === 'unauthorized') expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    if (kind === 'method-not-allowed') expect(response.headers.get('allow')).toBeTruthy();
  });

  it('is tried five times at least on every operation of the API', () => {
    const tried = (method: string, pattern: RegExp): number =>
      BAD.filter(
        ([, m, path]) =>
          pattern.test(path.split('?')[0] ?? '') && (m === method || !['GET', 'POST'].includes(m)),
      ).length;
    for (const { method, path } of OPERATIONS.filter(({ path: p }) => p.startsWith('/v1/'))) {
      const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
      expect({ path, tried: tried(method, pattern) >= 5 }).toEqual({ path, tried: true });
    }
  });

  it('names the places of a body that does not fit', async () => {
    const body = { question: 7, window: { from: 'yesterday' }, detached: 'yes' };
    const { errors } = Problem.parse(
      await (await call(gateway, 'POST', '/v1/runs', { token: ask, body })).json(),
    );
    expect(errors?.map(({ at }) => at)).toEqual(
      expect.arrayContaining(['/question', '/window/from', '/window/to', '/detached']),
    );
  });

  it('is not read from anybody without a token', async () => {
    const response = await call(gateway, 'POST', '/v1/runs', { body: '{"question":' });
    expect(response.status).toBe(401);
  });

  it('that is no HTTP closes its connection and no other', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('\x16\x03\x01 this is no request\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect((await call(gateway, 'GET', '/healthz')).status).toBe(200);
  });
});

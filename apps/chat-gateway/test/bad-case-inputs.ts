import { randomUUID } from 'node:crypto';
import type { ProblemKind } from '@inquest/contracts/problem';
import { randomRunId } from '../src/runs/run-id';
import { TOKENS, type CallOptions } from './harness';

type Bad = [what: string, method: string, path: string, options: CallOptions, kind: ProblemKind];

const ask = TOKENS.ask;
const Q = { question: 'Why is checkout slow?' };
const NO_CASE = randomRunId();
/** Stands for a case that goes on. */
const CASE = '{case}';

const post = (what: string, body: unknown, kind: ProblemKind = 'bad-request'): Bad => [
  what,
  'POST',
  '/v1/cases',
  { token: ask, body },
  kind,
];

/** What is refused below `/v1/cases`, and how. */
export const BAD_CASES: Bad[] = [
  post('no JSON', '{"question":'),
  post('a list', [Q]),
  post('no question', {}),
  post('an empty question', { question: ' ' }),
  post('a question of 4001 characters', { question: 'x'.repeat(4_001) }),
  post('a member that is none', { ...Q, cause: 'the pool' }),
  post('a case that is owned by a stream', { ...Q, detached: false }),
  post('a path for a source', { ...Q, source: '../../etc' }),
  post('a source that is not configured', { ...Q, source: 'elsewhere' }, 'unknown-source'),
  post('a window that ends before it begins', {
    ...Q,
    window: { from: '2024-05-02T00:00:00Z', to: '2024-05-01T00:00:00Z' },
  }),
  post('an unknown zone', { ...Q, zone: 'Mars/Base' }),
  post('coordinates without a repository', { ...Q, coordinates: [{ service: 'checkout' }] }),
  post('33 coordinates', {
    ...Q,
    coordinates: Array.from({ length: 33 }, (_, n) => ({
      service: `s${n}`,
      repository: 'r',
      path: null,
      ref: null,
    })),
  }),
  post('a policy that is none', { ...Q, policy: { hypothesesMax: 'all' } }),
  post('a policy of one hypothesis', { ...Q, policy: { hypothesesMax: 1 } }),
  post('a policy that only an operator sets', { ...Q, policy: { projectionBytesMax: 2_048 } }),
  post('a question and a run', { ...Q, fromRun: NO_CASE }),
  post('a run that is none', { fromRun: '42' }),
  post('a run that nobody has', { fromRun: NO_CASE }, 'not-found'),
  post('a body of 70 KB', { question: 'x'.repeat(70_000) }, 'payload-too-large'),
  [
    'a form',
    'POST',
    '/v1/cases',
    { token: ask, body: 'question=why', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    'unsupported-media-type',
  ],
  [
    'a key with a blank',
    'POST',
    '/v1/cases',
    { token: ask, body: Q, headers: { 'idempotency-key': 'a b' } },
    'bad-request',
  ],
  ['no token', 'POST', '/v1/cases', { body: Q }, 'unauthorized'],
  ['a token that operates', 'POST', '/v1/cases', { body: Q, token: TOKENS.operate }, 'forbidden'],

  ['an unknown parameter', 'GET', '/v1/cases?status=FAILED', { token: ask }, 'bad-request'],
  ['a limit of 0', 'GET', '/v1/cases?limit=0', { token: ask }, 'bad-request'],
  ['a limit of 101', 'GET', '/v1/cases?limit=101', { token: ask }, 'bad-request'],
  ['a cursor that is none', 'GET', '/v1/cases?cursor=abc', { token: ask }, 'bad-request'],
  ['no token', 'GET', '/v1/cases', {}, 'unauthorized'],
  ['another method', 'DELETE', '/v1/cases', { token: ask }, 'method-not-allowed'],

  ['an id that is none', 'GET', '/v1/cases/42', { token: ask }, 'bad-request'],
  ['a UUID of another version', 'GET', `/v1/cases/${randomUUID()}`, { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/cases/${NO_CASE}`, { token: ask }, 'not-found'],
  ['a run', 'GET', '/v1/cases/{run}', { token: ask }, 'not-found'],
  ['another tenant’s case', 'GET', `/v1/cases/${CASE}`, { token: TOKENS.other }, 'not-found'],
  ['a case among the runs', 'GET', `/v1/runs/${CASE}`, { token: ask }, 'not-found'],

  ['an id that is none', 'GET', '/v1/cases/42/reviews', { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/cases/${NO_CASE}/reviews`, { token: ask }, 'not-found'],
  ['another tenant’s case', 'GET', `/v1/cases/${CASE}/reviews`, { token: TOKENS.other }, 'not-found'],
  ['no token', 'GET', `/v1/cases/${CASE}/reviews`, {}, 'unauthorized'],
  ['wildcards', 'GET', '/v1/cases/*/reviews', { token: ask }, 'bad-request'],
  ['another method', 'POST', `/v1/cases/${CASE}/reviews`, { token: ask, body: {} }, 'method-not-allowed'],

  ['an id that is none', 'GET', '/v1/cases/42/events', { token: ask }, 'bad-request'],
  ['an id that nobody has', 'GET', `/v1/cases/${NO_CASE}/events`, { token: ask }, 'not-found'],
  ['another tenant’s case', 'GET', `/v1/cases/${CASE}/events`, { token: TOKENS.other }, 'not-found'],
  [
    'a Last-Event-ID that is none',
    'GET',
    `/v1/cases/${CASE}/events`,
    { token: ask, headers: { 'last-event-id': 'seven' } },
    'bad-request',
  ],
  [
    'a Last-Event-ID of another partition',
    'GET',
    `/v1/cases/${CASE}/events`,
    { token: ask, headers: { 'last-event-id': '99-1' } },
    'bad-request',
  ],
  ['a stream token', 'GET', `/v1/cases/${CASE}/events?stream_token=abc`, { token: ask }, 'bad-request'],

  ['an id that is none', 'POST', '/v1/cases/42/cancel', { token: ask }, 'bad-request'],
  ['an id that nobody has', 'POST', `/v1/cases/${NO_CASE}/cancel`, { token: ask }, 'not-found'],
  ['a run', 'POST', '/v1/cases/{run}/cancel', { token: ask }, 'not-found'],
  ['a case among the runs', 'POST', `/v1/runs/${CASE}/cancel`, { token: ask }, 'not-found'],
  ['a body', 'POST', `/v1/cases/${CASE}/cancel`, { token: ask, body: { force: true } }, 'bad-request'],
  ['a token that only audits', 'POST', `/v1/cases/${CASE}/cancel`, { token: TOKENS.audit }, 'forbidden'],

  ['a case id that is none', 'GET', '/v1/cases/42/evidence/tc-1-0', { token: ask }, 'bad-request'],
  ['a call id that cannot be', 'GET', `/v1/cases/${CASE}/evidence/a%20b`, { token: ask }, 'bad-request'],
  ['a call that is none', 'GET', `/v1/cases/${CASE}/evidence/tc-1-0`, { token: TOKENS.audit }, 'not-found'],
  [
    'a case that nobody has',
    'GET',
    `/v1/cases/${NO_CASE}/evidence/tc-1-0`,
    { token: TOKENS.audit },
    'not-found',
  ],
  [
    'a token that only watches',
    'GET',
    `/v1/cases/${CASE}/evidence/tc-1-0`,
    { token: TOKENS.watch },
    'forbidden',
  ],
];

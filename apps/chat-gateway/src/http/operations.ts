import { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import { Explanation } from '@inquest/contracts/explanation';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { NewRun } from '@inquest/contracts/platform-facts';
import { RunFrame } from '@inquest/contracts/run-frame';
import { RunAccepted, RunList, RunView } from '@inquest/contracts/run-view';
import { Health, Readiness, SystemView } from '../system/system-view';
import { AlertNotification, AlertRun } from '../alerts/alert-notification';
import { ListRuns, StreamQuery } from './queries';
import { CASE_OPERATIONS } from './case-operations';
import { READERS, type Operation } from './operation';

const run = { name: 'RunAccepted', schema: RunAccepted };

export const OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/runs',
    summary: 'Ask a question. With an Idempotency-Key, asking again finds the same run.',
    scopes: ['ask'],
    body: { name: 'NewRun', schema: NewRun, required: true },
    headers: [
      {
        name: 'Idempotency-Key',
        meaning: '1 to 255 visible ASCII characters; the same key and body are the same run',
      },
    ],
    answers: [
      { status: 201, meaning: 'The run exists from now on.', schema: run },
      { status: 200, meaning: 'The same key and body again: that run.', schema: run },
    ],
    problems: [400, 413, 415, 422, 502, 503],
  },
  {
    method: 'POST',
    path: '/v1/webhooks/alertmanager/{source}',
    summary: 'The webhook of an Alertmanager: a group that fires opens one run on this source.',
    scopes: ['alert'],
    body: { name: 'AlertNotification', schema: AlertNotification, required: true },
    answers: [
      {
        status: 201,
        meaning: 'A run was opened for the group.',
        schema: { name: 'AlertRun', schema: AlertRun },
      },
      {
        status: 200,
        meaning: 'The group has its run already, or nothing of it fires any more.',
        schema: { name: 'AlertRun', schema: AlertRun },
      },
    ],
    problems: [400, 413, 415, 422, 429, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs',
    summary: 'The runs of the tenant, newest first.',
    scopes: READERS,
    query: ListRuns,
    answers: [{ status: 200, meaning: 'A page.', schema: { name: 'RunList', schema: RunList } }],
    problems: [400, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}',
    summary: 'One run, with what was released.',
    scopes: READERS,
    answers: [
      { status: 200, meaning: 'The run as it stands.', schema: { name: 'RunView', schema: RunView } },
    ],
    problems: [400, 404, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/events',
    summary: 'Follow a run: server-sent events of enums, ids, counts and times; ends after the terminal one.',
    scopes: READERS,
    query: StreamQuery,
    headers: [{ name: 'Last-Event-ID', meaning: 'Resume behind this event' }],
    answers: [
      {
        status: 200,
        meaning: 'The events.',
        schema: { name: 'RunFrame', schema: RunFrame },
        contentType: 'text/event-stream',
      },
      { status: 204, meaning: 'The run has ended and the client has seen all of it.' },
    ],
    problems: [400, 404, 409, 503],
  },
  {
    method: 'POST',
    path: '/v1/runs/{runId}/cancel',
    summary: 'Ask a run to stop. Repeating it changes nothing.',
    scopes: ['ask', 'operate'],
    answers: [{ status: 202, meaning: 'The request stands.', schema: run }],
    problems: [400, 404, 409, 413, 415, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/evidence/{toolCallId}',
    summary: 'Open the evidence of one tool call: with scope ask, of calls that a released report cites.',
    scopes: ['ask', 'operate', 'audit'],
    answers: [
      {
        status: 200,
        meaning: 'The ledger entry with its projection.',
        schema: { name: 'LedgerEntry', schema: LedgerEntry },
      },
    ],
    problems: [400, 404, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/bundle',
    summary:
      'Everything that an ended run stands on, as one canonical JSON document to keep and to re-check without a server.',
    scopes: ['operate', 'audit'],
    answers: [
      {
        status: 200,
        meaning: 'The evidence bundle; `Repr-Digest` is the sha256 of its bytes.',
        schema: { name: 'EvidenceBundle', schema: EvidenceBundle },
      },
    ],
    problems: [400, 404, 409, 503],
  },
  {
    method: 'GET',
    path: '/v1/runs/{runId}/explanation',
    summary:
      'What carried each sentence of a report, or which rules a draft failed; rejected drafts with scope operate only.',
    scopes: ['ask', 'operate', 'audit'],
    answers: [
      {
        status: 200,
        meaning: 'The explanation.',
        schema: { name: 'Explanation', schema: Explanation },
      },
    ],
    problems: [400, 404, 409, 503],
  },
  ...CASE_OPERATIONS,
  {
    method: 'GET',
    path: '/v1/system',
    summary: 'Services, guards, cut-over and log, as this gateway sees them.',
    scopes: ['watch', 'operate'],
    answers: [{ status: 200, meaning: 'The system.', schema: { name: 'SystemView', schema: SystemView } }],
    problems: [],
  },
  {
    method: 'GET',
    path: '/healthz',
    summary: 'The process answers.',
    scopes: [],
    answers: [{ status: 200, meaning: 'It does.', schema: { name: 'Health', schema: Health } }],
    problems: [],
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'Questions can be taken in.',
    scopes: [],
    answers: [
      { status: 200, meaning: 'They can.', schema: { name: 'Readiness', schema: Readiness } },
      { status: 503, meaning: 'They cannot.', schema: { name: 'Readiness', schema: Readiness } },
    ],
    problems: [],
  },
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    scopes: [],
    answers: [{ status: 200, meaning: 'OpenAPI 3.1.', contentType: 'application/json' }],
    problems: [],
  },
  {
    method: 'GET',
    path: '/',
    summary: 'Where to go from here.',
    scopes: [],
    answers: [{ status: 200, meaning: 'A pointer.', contentType: 'text/plain' }],
    problems: [],
  },
];

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+').replace(/\./g, '\\.')}/?$`, 'i');

const ROUTES = OPERATIONS.map(({ method, path }) => ({ method, pattern: patternOf(path) }));

/** The methods that a path answers; empty for a path that is none of ours. */
export const methodsOf = (path: string): string[] =>
  ROUTES.filter(({ pattern }) => pattern.test(path)).flatMap(({ method }) =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );

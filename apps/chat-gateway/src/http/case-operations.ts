import { CaseFrame } from '@inquest/contracts/case-frame';
import { CaseAccepted, CaseList, CaseReviews, CaseView } from '@inquest/contracts/case-view';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { NewCase } from '@inquest/contracts/new-case';
import { READERS, type Operation } from './operation';
import { ListCases } from './queries';

const accepted = { name: 'CaseAccepted', schema: CaseAccepted };

export const CASE_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/cases',
    summary:
      'Open an investigation, of a question or of a run that ended inconclusive. With an Idempotency-Key, asking again finds the same case.',
    scopes: ['ask'],
    body: { name: 'NewCase', schema: NewCase, required: true },
    headers: [
      {
        name: 'Idempotency-Key',
        meaning: '1 to 255 visible ASCII characters; the same key and body are the same case, and no run',
      },
    ],
    answers: [
      { status: 201, meaning: 'The case exists from now on.', schema: accepted },
      { status: 200, meaning: 'The same key and body again: that case.', schema: accepted },
    ],
    problems: [400, 404, 409, 413, 415, 422, 503],
  },
  {
    method: 'GET',
    path: '/v1/cases',
    summary: 'The cases of the tenant, newest first.',
    scopes: READERS,
    query: ListCases,
    answers: [{ status: 200, meaning: 'A page.', schema: { name: 'CaseList', schema: CaseList } }],
    problems: [400, 503],
  },
  {
    method: 'GET',
    path: '/v1/cases/{caseId}',
    summary:
      'One case: its hypotheses, actions with what they should have shown and did, findings, reviews, and what was released.',
    scopes: READERS,
    answers: [
      { status: 200, meaning: 'The case as it stands.', schema: { name: 'CaseView', schema: CaseView } },
    ],
    problems: [400, 404, 503],
  },
  {
    method: 'GET',
    path: '/v1/cases/{caseId}/reviews',
    summary: 'The early reviews of a case: what was asked, how both passes went, and what was decided.',
    scopes: READERS,
    answers: [{ status: 200, meaning: 'The reviews.', schema: { name: 'CaseReviews', schema: CaseReviews } }],
    problems: [400, 404, 503],
  },
  {
    method: 'GET',
    path: '/v1/cases/{caseId}/events',
    summary:
      'Follow a case: server-sent events of enums, ids, counts and times; ends after the terminal one.',
    scopes: READERS,
    headers: [{ name: 'Last-Event-ID', meaning: 'Resume behind this event' }],
    answers: [
      {
        status: 200,
        meaning: 'The events.',
        schema: { name: 'CaseFrame', schema: CaseFrame },
        contentType: 'text/event-stream',
      },
      { status: 204, meaning: 'The case has ended and the client has seen all of it.' },
    ],
    problems: [400, 404, 503],
  },
  {
    method: 'GET',
    path: '/v1/cases/{caseId}/evidence/{toolCallId}',
    summary: 'Open the evidence of one action: with scope ask, of calls that the released report cites.',
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
    method: 'POST',
    path: '/v1/cases/{caseId}/cancel',
    summary: 'Ask a case to stop. Repeating it changes nothing.',
    scopes: ['ask', 'operate'],
    answers: [{ status: 202, meaning: 'The request stands.', schema: accepted }],
    problems: [400, 404, 409, 413, 415, 503],
  },
];

import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  CaseSummary,
  type CaseAccepted,
  type CaseList,
  type CaseReviews,
  type CaseStatus,
  type CaseView,
} from '@inquest/contracts/case-view';
import { RunId, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Request, Response } from 'express';
import { CurrentCaller } from '../http/authenticate';
import { principalOf, type Caller } from '../http/callers';
import { jsonBody, noBody } from '../http/json-body';
import { parsed, ProblemError } from '../http/problem-error';
import { IdempotencyKey, ListCases, NoQuery } from '../http/queries';
import { Scopes } from '../http/scopes';
import { CASE_ROWS, CONFIGURED_SOURCES } from '../injection-keys';
import { cursorOf, placeOf } from '../runs/list-cursor';
import { RowsUnavailable } from '../runs/read-pool';
import { caseIdForKey, randomRunId } from '../runs/run-id';
import { lastEventId } from '../stream/events.controller';
import { CaseCanceller } from './cancel-case';
import { CaseEvidenceReader } from './case-evidence';
import { CaseReader } from './case-reader';
import type { CaseRows } from './case-rows';
import { CaseStreams } from './case-streams';
import { acceptCase } from './new-case';
import { CaseOpener } from './open-case';

const acceptedOf = (caseId: RunId, status: CaseStatus): CaseAccepted => {
  const self = `/v1/cases/${caseId}`;
  const links = { self, events: `${self}/events`, cancel: `${self}/cancel`, reviews: `${self}/reviews` };
  return { caseId, status, links };
};

const idOf = (text: string): RunId => parsed('case id', RunId, text);

@Controller('v1/cases')
export class CasesController {
  constructor(
    private readonly opener: CaseOpener,
    private readonly reader: CaseReader,
    private readonly canceller: CaseCanceller,
    private readonly evidence: CaseEvidenceReader,
    private readonly streams: CaseStreams,
    @Inject(CASE_ROWS) private readonly rows: CaseRows,
    @Inject(CONFIGURED_SOURCES) private readonly sources: ReadonlySet<string> | undefined,
  ) {}

  @Post()
  @Scopes('ask')
  async open(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const accepted = acceptCase(jsonBody(request), this.sources);
    const header = request.get('idempotency-key');
    const key = header === undefined ? undefined : parsed('Idempotency-Key', IdempotencyKey, header);
    const caseId = key === undefined ? randomRunId() : caseIdForKey(caller.tenant, key);
    const by = { tenant: caller.tenant, principal: principalOf(caller) };
    const { status, created } = await this.opener.open(caseId, key !== undefined, by, accepted);
    response
      .status(created ? 201 : 200)
      .setHeader('Location', `/v1/cases/${caseId}`)
      .json(acceptedOf(caseId, status));
  }

  @Get()
  @Scopes('ask', 'watch', 'operate', 'audit')
  async list(@Query() query: unknown, @CurrentCaller() caller: Caller): Promise<CaseList> {
    const { sessionId, cursor, limit } = parsed('query', ListCases, query);
    const before = cursor === undefined ? undefined : placeOf(cursor);
    try {
      // One more than asked for tells whether there is a next page.
      const found = await this.rows.list({ tenant: caller.tenant, sessionId, limit: limit + 1, before });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return {
        cases: page.flatMap(({ view }) => summaryOf(view)),
        nextCursor: last ? cursorOf({ requestedAt: last.requestedAt, runId: last.caseId }) : null,
      };
    } catch (error) {
      if (!(error instanceof RowsUnavailable)) throw error;
      throw new ProblemError(
        'log-unavailable',
        { detail: 'The read model does not answer; single cases can be read.' },
        { 'Retry-After': '5' },
      );
    }
  }

  @Get(':caseId')
  @Scopes('ask', 'watch', 'operate', 'audit')
  async one(@Param('caseId') id: string, @CurrentCaller() caller: Caller): Promise<CaseView> {
    return (await this.reader.find(idOf(id), caller.tenant)).view;
  }

  @Get(':caseId/reviews')
  @Scopes('ask', 'watch', 'operate', 'audit')
  async reviews(@Param('caseId') id: string, @CurrentCaller() caller: Caller): Promise<CaseReviews> {
    const { caseId, reviews, budgets } = (await this.reader.find(idOf(id), caller.tenant)).view;
    return { caseId, max: budgets.earlyReviews.max, reviews };
  }

  @Get(':caseId/events')
  @Scopes('ask', 'watch', 'operate', 'audit')
  async follow(
    @Param('caseId') id: string,
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const caseId = idOf(id);
    parsed('query', NoQuery, query);
    const after = lastEventId(request);
    if (request.method === 'HEAD') return void response.type('text/event-stream').end();
    await this.streams.serve({ caseId, tenant: caller.tenant, after }, response);
  }

  @Get(':caseId/evidence/:toolCallId')
  @Scopes('ask', 'operate', 'audit')
  openEvidence(
    @Param('caseId') id: string,
    @Param('toolCallId') callId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<LedgerEntry> {
    return this.evidence.open(idOf(id), parsed('tool call id', ToolCallId, callId), caller);
  }

  @Post(':caseId/cancel')
  @HttpCode(202)
  @Scopes('ask', 'operate')
  async cancel(
    @Param('caseId') id: string,
    @Req() request: Request,
    @CurrentCaller() caller: Caller,
  ): Promise<CaseAccepted> {
    const caseId = idOf(id);
    noBody(request);
    const cause = caller.scopes.has('ask') ? 'PERSON' : 'OPERATOR';
    const by = { cause, principal: principalOf(caller) } as const;
    return acceptedOf(caseId, await this.canceller.cancel(caseId, caller.tenant, by));
  }
}

/** A stored view has more than a list shows. */
const summaryOf = (view: unknown): CaseSummary[] => {
  const stored = (view ?? {}) as Record<string, unknown>;
  const keys = Object.keys(CaseSummary.shape);
  const summary = CaseSummary.safeParse(Object.fromEntries(keys.map((key) => [key, stored[key]])));
  return summary.success ? [summary.data] : [];
};

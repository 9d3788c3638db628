import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { RunId } from '@inquest/contracts/ids';
import {
  RunSummary,
  type RunAccepted,
  type RunList,
  type RunStatus,
  type RunView,
} from '@inquest/contracts/run-view';
import type { Request, Response } from 'express';
import { CurrentCaller } from '../http/authenticate';
import { principalOf, type Caller } from '../http/callers';
import { jsonBody, noBody } from '../http/json-body';
import { parsed, ProblemError } from '../http/problem-error';
import { IdempotencyKey, ListRuns } from '../http/queries';
import { refusalOf } from '../http/refusal';
import { Scopes } from '../http/scopes';
import { LegacyPath } from '../gate/legacy-path';
import { StreamTokens } from '../stream/stream-token';
import { CONFIGURED_SOURCES, RUN_ROWS } from '../injection-keys';
import { RunCanceller } from './cancel-run';
import { cursorOf, placeOf } from './list-cursor';
import { acceptBody } from './new-run';
import { randomRunId, runIdForKey } from './run-id';
import { RunReader } from './run-reader';
import { RowsUnavailable } from './read-pool';
import type { RunRows } from './run-rows';
import { RunStarter } from './start-run';

const acceptedOf = (runId: RunId, status: RunStatus, streamToken?: string): RunAccepted => {
  const self = `/v1/runs/${runId}`;
  return { runId, status, streamToken, links: { self, events: `${self}/events`, cancel: `${self}/cancel` } };
};

@Controller('v1/runs')
export class RunsController {
  constructor(
    private readonly starter: RunStarter,
    private readonly reader: RunReader,
    private readonly canceller: RunCanceller,
    private readonly streamTokens: StreamTokens,
    private readonly legacy: LegacyPath,
    @Inject(RUN_ROWS) private readonly rows: RunRows,
    @Inject(CONFIGURED_SOURCES) private readonly sources: ReadonlySet<string> | undefined,
  ) {}

  @Post()
  @Scopes('ask')
  async ask(
    @Req() request: Request,
    @Res() response: Response,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const raw = jsonBody(request);
    const header = request.get('idempotency-key');
    const key = header === undefined ? undefined : parsed('Idempotency-Key', IdempotencyKey, header);
    const accepted = acceptBody(raw, this.sources);
    const runId = key === undefined ? randomRunId() : runIdForKey(caller.tenant, key);
    const asker = { tenant: caller.tenant, principal: principalOf(caller), entry: null };
    const started = await this.starter.start(runId, key !== undefined, asker, accepted);
    if ('gate' in started) {
      if (started.gate.kind === 'REFUSED') throw refusalOf(started.gate);
      return this.legacy.forward({ body: raw, tenant: caller.tenant, idempotencyKey: key }, response);
    }
    const { status, created, detached } = started;
    response
      .status(created ? 201 : 200)
      .setHeader('Location', `/v1/runs/${runId}`)
      .json(acceptedOf(runId, status, detached ? undefined : this.streamTokens.for(runId)));
  }

  @Get()
  @Scopes('ask', 'watch', 'operate', 'audit')
  async list(@Query() query: unknown, @CurrentCaller() caller: Caller): Promise<RunList> {
    const { sessionId, cursor, limit } = parsed('query', ListRuns, query);
    const before = cursor === undefined ? undefined : placeOf(cursor);
    try {
      // One more than asked for tells whether there is a next page.
      const found = await this.rows.list({ tenant: caller.tenant, sessionId, limit: limit + 1, before });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { runs: page.flatMap(({ view }) => summaryOf(view)), nextCursor: last ? cursorOf(last) : null };
    } catch (error) {
      if (!(error instanceof RowsUnavailable)) throw error;
      throw new ProblemError(
        'log-unavailable',
        { detail: 'The read model does not answer; single runs can be read.' },
        { 'Retry-After': '5' },
      );
    }
  }

  @Get(':runId')
  @Scopes('ask', 'watch', 'operate', 'audit')
  async one(@Param('runId') id: string, @CurrentCaller() caller: Caller): Promise<RunView> {
    return (await this.reader.find(parsed('run id', RunId, id), caller.tenant)).view;
  }

  @Post(':runId/cancel')
  @HttpCode(202)
  @Scopes('ask', 'operate')
  async cancel(
    @Param('runId') id: string,
    @Req() request: Request,
    @CurrentCaller() caller: Caller,
  ): Promise<RunAccepted> {
    const runId = parsed('run id', RunId, id);
    noBody(request);
    const cause = caller.scopes.has('ask') ? 'PERSON' : 'OPERATOR';
    return acceptedOf(
      runId,
      await this.canceller.cancel(runId, caller.tenant, { cause, principal: principalOf(caller) }),
    );
  }
}

/** A stored view has more than a list shows; of an erased run there may be too little for a line. */
const summaryOf = (view: unknown): RunSummary[] => {
  const stored = (view ?? {}) as Record<string, unknown>;
  const keys = Object.keys(RunSummary.shape);
  const summary = RunSummary.safeParse(Object.fromEntries(keys.map((key) => [key, stored[key]])));
  return summary.success ? [summary.data] : [];
};

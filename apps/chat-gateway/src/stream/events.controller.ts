import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { RunId } from '@inquest/contracts/ids';
import type { Request, Response } from 'express';
import { CurrentCaller } from '../http/authenticate';
import type { Caller } from '../http/callers';
import { badRequest, parsed } from '../http/problem-error';
import { StreamQuery } from '../http/queries';
import { Scopes } from '../http/scopes';
import { parseEventId, type EventId } from './event-id';
import { EventStreams } from './event-streams';

export const lastEventId = (request: Request): EventId | undefined => {
  const header = request.get('last-event-id');
  if (header === undefined || header === '') return undefined;
  const id = parseEventId(header);
  if (!id)
    throw badRequest('The Last-Event-ID is none of ours.', [
      { at: 'Last-Event-ID', message: '<partition>-<sequence>' },
    ]);
  return id;
};

@Controller('v1/runs/:runId/events')
export class EventsController {
  constructor(private readonly streams: EventStreams) {}

  @Get()
  @Scopes('ask', 'watch', 'operate', 'audit')
  async follow(
    @Param('runId') id: string,
    @Query() query: unknown,
    @Req() request: Request,
    @Res() response: Response,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const runId = parsed('run id', RunId, id);
    const { stream_token: streamToken } = parsed('query', StreamQuery, query);
    const after = lastEventId(request);
    if (request.method === 'HEAD') return void response.type('text/event-stream').end();
    await this.streams.serve({ runId, tenant: caller.tenant, after, streamToken }, response);
  }
}

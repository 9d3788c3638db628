import type { ServerResponse } from 'node:http';
import { isTerminalCaseEvent } from '@inquest/contracts/case-decision';
import type { RunId } from '@inquest/contracts/ids';
import type { CaseEntry } from '@inquest/run-view/folded-case';
import { badRequest } from '../http/problem-error';
import type { RunReader } from '../runs/run-reader';
import { eventIdOf, type EventId } from '../stream/event-id';
import { STOPPING } from '../stream/event-streams';
import { Splice } from '../stream/splice';
import { SseConnection, type SseOptions } from '../stream/sse-connection';
import { caseNotFound, type CaseReader, type LoggedCase } from './case-reader';
import type { CaseTail } from './case-tail';
import { endingFrameOfCase, framesOfCase } from './frames-of-case';

/** `after`: where the client has got to. */
export type CaseStreamRequest = { caseId: RunId; tenant: string; after?: EventId };

/** The event streams of cases. Nobody owns a case by a stream: a lost connection is a lost reader. */
export class CaseStreams {
  private readonly open = new Set<SseConnection>();
  private stopping = false;

  constructor(
    private readonly reader: CaseReader,
    private readonly facts: Pick<RunReader, 'subjectsOf'>,
    private readonly live: Pick<CaseTail, 'follow'>,
    private readonly options: SseOptions = {},
  ) {}

  get count(): number {
    return this.open.size;
  }

  /** Answers with the stream; throws a problem as long as nothing has been answered. */
  async serve(request: CaseStreamRequest, response: ServerResponse): Promise<void> {
    const { caseId, tenant, after } = request;
    if (after && after.partition !== this.facts.subjectsOf(caseId).partition) {
      throw badRequest('This Last-Event-ID is of another case.', [
        { at: 'Last-Event-ID', message: 'take the id of an event of this case' },
      ]);
    }
    let onEntry: (entry: CaseEntry) => void = () => undefined;
    const splice = new Splice<CaseEntry>(after?.seq ?? 0, (entry) => onEntry(entry));
    // Followed before the chain is read, so that nothing falls between the two.
    const unfollow = this.live.follow(caseId, (entry) => splice.live(entry));
    response.once('close', unfollow);
    try {
      const logged = await this.reader.fromLog(caseId, tenant);
      if (!logged) return await this.serveEnding(request, response);
      const stream = this.begin(request, response, logged);
      if (!stream) return unfollow();
      onEntry = stream;
      splice.read(logged.chain);
      if (response.destroyed) unfollow();
    } catch (error) {
      unfollow();
      throw error;
    }
  }

  stop(): void {
    this.stopping = true;
    for (const connection of this.open) connection.end(STOPPING);
  }

  /** Returns what takes the case's entries; nothing when the client has the whole stream already. */
  private begin(
    { caseId, after }: CaseStreamRequest,
    response: ServerResponse,
    { folded }: LoggedCase,
  ): ((entry: CaseEntry) => void) | undefined {
    if (folded.terminalSeq !== null && after && after.seq >= folded.terminalSeq) {
      // 204 tells an EventSource not to come back.
      response.writeHead(204).end();
      return undefined;
    }
    const connection = this.connect(response);
    const { partition } = this.facts.subjectsOf(caseId);
    return ({ seq, decision }) => {
      connection.frames(framesOfCase(caseId, decision), eventIdOf({ partition, seq }));
      if (decision.events.some(isTerminalCaseEvent)) connection.end('the case has ended');
    };
  }

  private connect(response: ServerResponse): SseConnection {
    const connection = new SseConnection(response, this.options);
    if (!response.destroyed) this.open.add(connection);
    response.once('close', () => this.open.delete(connection));
    if (this.stopping) connection.end(STOPPING);
    return connection;
  }

  /** A case that only its row remembers: its ending is all there is to tell. */
  private async serveEnding({ caseId, tenant }: CaseStreamRequest, response: ServerResponse): Promise<void> {
    const { view } = await this.reader.find(caseId, tenant);
    const frame = endingFrameOfCase(view);
    if (!frame) throw caseNotFound();
    const connection = this.connect(response);
    connection.frames([frame], undefined);
    connection.end('the case has ended');
  }
}

import type { ServerResponse } from 'node:http';
import type { RunId } from '@inquest/contracts/ids';
import { isTerminal } from '@inquest/contracts/run-decision';
import type { RunFrame } from '@inquest/contracts/run-frame';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import { badRequest, ProblemError } from '../http/problem-error';
import { runNotFound, type LoggedRun, type RunReader } from '../runs/run-reader';
import type { ChainEntry } from '@inquest/run-view/fold-run';
import type { LiveChains } from './chain-tail';
import { eventIdOf, type EventId } from './event-id';
import { endingFrameOf, framesOfDecision } from './frames-of-decision';
import type { OwnerStreams } from './owner-streams';
import { Splice } from './splice';
import { SseConnection, type SseOptions } from './sse-connection';
import type { StreamTokens } from './stream-token';

export type StreamRequest = {
  runId: RunId;
  tenant: string;
  /** Where the client has got to. */
  after?: EventId;
  /** Who presents it owns the run. */
  streamToken?: string;
};

export const STOPPING = 'the gateway is going down; resume with Last-Event-ID';

/** The event streams of this gateway. */
export class EventStreams {
  private readonly open = new Set<SseConnection>();
  private stopping = false;

  constructor(
    private readonly reader: RunReader,
    private readonly live: LiveChains,
    private readonly owners: OwnerStreams,
    private readonly tokens: StreamTokens,
    private readonly options: SseOptions = {},
  ) {}

  get count(): number {
    return this.open.size;
  }

  /** Answers with the stream; throws a problem as long as nothing has been answered. */
  async serve(request: StreamRequest, response: ServerResponse): Promise<void> {
    const { runId, tenant, after } = request;
    if (after && after.partition !== this.reader.subjectsOf(runId).partition) {
      throw badRequest('This Last-Event-ID is of another run.', [
        { at: 'Last-Event-ID', message: 'take the id of an event of this run' },
      ]);
    }
    let onEntry: (entry: ChainEntry) => void = () => undefined;
    const splice = new Splice<ChainEntry>(after?.seq ?? 0, (entry) => onEntry(entry));
    // Followed before the chain is read, so that nothing falls between the two.
    const unfollow = this.live.follow(runId, (entry) => splice.live(entry));
    response.once('close', unfollow);
    try {
      const logged = await this.reader.fromLog(runId, tenant);
      if (!logged) return await this.serveEnding(request, response);
      const stream = await this.begin(request, response, logged);
      if (!stream) return unfollow();
      onEntry = (entry) => stream(entry);
      splice.read(logged.chain);
      if (response.destroyed) unfollow();
    } catch (error) {
      unfollow();
      throw error;
    }
  }

  /** Says goodbye to everybody. A gateway that goes writes no disconnect: its runs go on. */
  stop(): void {
    this.stopping = true;
    for (const connection of this.open) connection.end(STOPPING);
  }

  /** Returns what takes the run's entries; nothing when the client has the whole stream already. */
  private async begin(
    request: StreamRequest,
    response: ServerResponse,
    { request: asked, folded }: LoggedRun,
  ): Promise<((entry: ChainEntry) => void) | undefined> {
    const { runId, after } = request;
    const owned = this.ownership(request, asked);
    if (folded.terminalSeq !== null && after && after.seq >= folded.terminalSeq) {
      // 204 tells an EventSource not to come back.
      response.writeHead(204).end();
      return undefined;
    }
    let ended = folded.terminalSeq !== null;
    if (owned && !ended) await this.own(runId, asked.disconnectGraceMs, response, () => ended);
    const connection = this.connect(response);
    const { partition } = this.reader.subjectsOf(runId);
    return ({ seq, decision }) => {
      connection.frames(framesOfDecision(runId, decision), eventIdOf({ partition, seq }));
      if (!decision.events.some(isTerminal)) return;
      ended = true;
      connection.end('the run has ended');
    };
  }

  private ownership({ runId, streamToken }: StreamRequest, { detached }: RunRequested): boolean {
    if (streamToken === undefined) return false;
    if (!this.tokens.matches(runId, streamToken)) {
      throw new ProblemError('forbidden', { detail: 'This stream token is not the one of this run.' });
    }
    if (detached)
      throw badRequest('This run is detached: no stream owns it.', [
        { at: 'stream_token', message: 'leave it out' },
      ]);
    return true;
  }

  /** The loss is listened for first: a client may be gone before its arrival has been written down. */
  private async own(
    runId: RunId,
    graceMs: number,
    response: ServerResponse,
    hasEnded: () => boolean,
  ): Promise<void> {
    const lost = response.destroyed
      ? Promise.resolve()
      : new Promise<void>((resolve) => response.once('close', resolve));
    const n = await this.owners.attach(runId);
    void lost.then(() => (hasEnded() || this.stopping ? undefined : this.owners.lost(runId, n, graceMs)));
  }

  private connect(response: ServerResponse): SseConnection {
    const connection = new SseConnection(response, this.options);
    if (!response.destroyed) this.open.add(connection);
    response.once('close', () => this.open.delete(connection));
    if (this.stopping) connection.end(STOPPING);
    return connection;
  }

  /** A run that only its row remembers: its ending is all there is to tell. */
  private async serveEnding({ runId, tenant }: StreamRequest, response: ServerResponse): Promise<void> {
    const { view } = await this.reader.find(runId, tenant);
    const frame: RunFrame | undefined = endingFrameOf(view);
    if (!frame) throw runNotFound();
    const connection = new SseConnection(response, this.options);
    connection.frames([frame], undefined);
    connection.end('the run has ended');
  }
}

import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { RunFrame } from '@inquest/contracts/run-frame';
import { waitFor } from '@inquest/testing/wait-for';
import type { Api } from './api';

/** `id` is there on the last frame of a chain entry only. */
export type Received = { id: string | undefined; event: string; frame: RunFrame };

const received = (block: string): Received[] => {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  if (data === undefined) return [];
  return [{ id: field('id'), event: field('event') ?? '', frame: RunFrame.parse(JSON.parse(data)) }];
};

/** A real SSE connection on a socket of its own, so that dropping it is dropping it. */
export class EventStream {
  raw = '';
  private over = false;

  private constructor(
    readonly status: number,
    response: IncomingMessage,
    readonly drop: () => void,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (this.raw += chunk));
    response.on('close', () => (this.over = true));
    response.on('error', () => (this.over = true));
  }

  /** `streamToken`: of the run's owner. `after`: the Last-Event-ID of a resuming client. */
  static async open(
    api: Api,
    runId: string,
    { streamToken, after }: { streamToken?: string; after?: string } = {},
  ): Promise<EventStream> {
    const query = streamToken === undefined ? '' : `?stream_token=${streamToken}`;
    const sent = request(`${api.url}/v1/runs/${runId}/events${query}`, {
      agent: false,
      headers: {
        authorization: `Bearer ${api.token}`,
        ...(after === undefined ? {} : { 'last-event-id': after }),
      },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new EventStream(response.statusCode ?? 0, response, () => void sent.destroy());
  }

  get frames(): Received[] {
    return this.raw.split('\n\n').slice(0, -1).flatMap(received);
  }

  get types(): string[] {
    return this.frames.map(({ event }) => event);
  }

  /** Waits until the server has said all that it had to say. */
  async ended(): Promise<Received[]> {
    await waitFor('the end of the stream', () => this.over || undefined, 30_000);
    return this.frames;
  }

  until(type: string): Promise<Received[]> {
    return waitFor(`the event ${type}`, () => (this.types.includes(type) ? this.frames : undefined));
  }
}

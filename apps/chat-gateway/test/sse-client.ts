import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { CaseFrame } from '@inquest/contracts/case-frame';
import { RunFrame } from '@inquest/contracts/run-frame';
import { waitFor } from '@inquest/testing/wait-for';
import type { Gateway } from './harness';

export type Received = { id: string | undefined; event: string; frame: RunFrame | CaseFrame };

/** Of a run or of a case, by the id that it bears. */
const frameOf = (text: string): RunFrame | CaseFrame => {
  const data: unknown = JSON.parse(text);
  return text.includes('"caseId"') ? CaseFrame.parse(data) : RunFrame.parse(data);
};

/** One event stream as a client holds it: over a connection of its own, which it may drop. */
export class SseClient {
  private text = '';
  private over = false;

  private constructor(
    private readonly response: IncomingMessage,
    private readonly drop_: () => void,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (this.text += chunk));
    response.on('close', () => (this.over = true));
    response.on('error', () => (this.over = true));
  }

  static async open(gateway: Gateway, path: string, headers: Record<string, string>): Promise<SseClient> {
    const sent = request(new URL(path, gateway.url), { headers, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new SseClient(response, () => sent.destroy());
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get type(): string {
    return this.response.headers['content-type'] ?? '';
  }

  get comments(): string[] {
    return this.text.split('\n').filter((line) => line.startsWith(':'));
  }

  get received(): Received[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const field = (name: string) =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        return data === undefined
          ? []
          : [{ id: field('id'), event: field('event') ?? '', frame: frameOf(data) }];
      });
  }

  get types(): string[] {
    return this.received.map(({ event }) => event);
  }

  get raw(): string {
    return this.text;
  }

  /** The connection goes, without a word. */
  drop(): void {
    this.drop_();
  }

  /** Takes nothing more in. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  until(type: string): Promise<Received[]> {
    return waitFor(`the event ${type}`, () => (this.types.includes(type) ? this.received : undefined));
  }

  async ended(): Promise<void> {
    await waitFor('the end of the stream', () => this.over || undefined);
  }
}

import type { ServerResponse } from 'node:http';

export const KEEP_ALIVE_MS = 10_000;
/** What may wait for a slow reader. The frames of the longest run are a quarter of it, so that a late joiner fits. */
export const BUFFER_BYTES_MAX = 1024 * 1024;
/** How long a reader that was cut may take to read why. */
const LINGER_MS = 5_000;

/** A frame of whatever is followed: of a run or of a case. */
export type Frame = { type: string };

export type SseOptions = { keepAliveMs?: number; bufferBytesMax?: number; lingerMs?: number };

export const frameText = (frame: Frame, id: string | undefined): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;

/**
 * One event stream (WHATWG server-sent events) over a response whose headers this class sends. What the client does not
 * take in is bounded: a reader that is too slow is cut and may resume by Last-Event-ID.
 */
export class SseConnection {
  private readonly keepAlive: NodeJS.Timeout;
  private readonly bufferBytesMax: number;
  private readonly lingerMs: number;
  private ended = false;

  constructor(
    private readonly response: ServerResponse,
    { keepAliveMs = KEEP_ALIVE_MS, bufferBytesMax = BUFFER_BYTES_MAX, lingerMs = LINGER_MS }: SseOptions = {},
  ) {
    this.bufferBytesMax = bufferBytesMax;
    this.lingerMs = lingerMs;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write('retry: 1000\n: connected\n\n');
    this.keepAlive = setInterval(() => {
      // The client may have gone before anybody listened for it.
      if (response.destroyed) clearInterval(this.keepAlive);
      else this.write(': keep-alive\n\n');
    }, keepAliveMs);
    response.once('close', () => clearInterval(this.keepAlive));
    // A reset connection is the client's way to leave; 'close' follows and tells everybody.
    response.on('error', () => undefined);
  }

  /** Frames of one chain entry: the last carries the entry's id, so that a resume begins behind whole entries only. */
  frames(frames: readonly Frame[], id: string | undefined): void {
    frames.forEach((frame, index) =>
      this.write(frameText(frame, index === frames.length - 1 ? id : undefined)),
    );
  }

  /** Ends the stream for a reason that the client can read. */
  end(comment: string): void {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.keepAlive);
    this.response.end(`: ${comment}\n\n`);
  }

  private write(text: string): void {
    if (this.ended || this.response.destroyed) return;
    if (this.response.writableLength + text.length > this.bufferBytesMax) return this.cut();
    this.response.write(text);
  }

  /** The reader gets what is on its way and the reason; if it does not even take that, the connection goes. */
  private cut(): void {
    this.end('cut: this client reads too slowly; resume with Last-Event-ID');
    setTimeout(() => this.response.destroy(), this.lingerMs).unref();
  }
}

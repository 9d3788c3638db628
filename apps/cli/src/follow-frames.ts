import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayRefusal, type Positioned } from './gateway-client';

const RESUMES_MAX = 60;
const RESUME_DELAY_MS = 500;

/** A run or a case, as its event stream is followed. */
export type Followed<Frame> = {
  follow: (position: string | undefined, signal: AbortSignal) => AsyncIterable<Positioned<Frame>>;
  isEnd: (frame: Frame) => boolean;
  /** Asked when the stream closes without an end: the last position may have been the end already. */
  hasEnded: () => Promise<boolean>;
};

/**
 * Shows every frame until the end, through lost connections. A frame is never shown twice: the stream resumes behind
 * the last position, which is that of a whole chain entry.
 */
export const followFrames = async <Frame>(
  { follow, isEnd, hasEnded }: Followed<Frame>,
  onFrame: (frame: Frame) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  let position: string | undefined;
  for (let resumes = 0; resumes <= RESUMES_MAX; resumes += 1) {
    // One chain entry may yield several frames of which the last alone has a position: shown when it is complete.
    let entry: Frame[] = [];
    try {
      for await (const { position: at, frame } of follow(position, signal)) {
        resumes = 0;
        entry.push(frame);
        if (at === undefined) continue;
        position = at;
        for (const each of entry) await onFrame(each);
        if (entry.some(isEnd)) return;
        entry = [];
      }
      if (await hasEnded()) return;
    } catch (error) {
      if (signal.aborted || error instanceof GatewayRefusal || resumes === RESUMES_MAX) throw error;
    }
    await sleep(RESUME_DELAY_MS, undefined, { signal });
  }
};

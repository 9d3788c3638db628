import { setTimeout as sleep } from 'node:timers/promises';
import type { RunFrame } from '@inquest/contracts/run-frame';
import type { RunView } from '@inquest/contracts/run-view';
import { GatewayRefusal, type GatewayClient } from './gateway-client';
import { isEnd } from './render/progress';

const RESUMES_MAX = 60;
const RESUME_DELAY_MS = 500;
const VIEW_WAIT_MS = 15_000;

/**
 * Shows every frame of a run until its end, through lost connections. A frame is never shown twice: the stream resumes
 * behind the last position, which is that of a whole chain entry.
 */
export const watchRun = async (
  client: GatewayClient,
  runId: string,
  onFrame: (frame: RunFrame) => void,
  signal: AbortSignal,
): Promise<void> => {
  let position: string | undefined;
  for (let resumes = 0; resumes <= RESUMES_MAX; resumes += 1) {
    // One chain entry may yield several frames of which the last alone has a position: shown when it is complete.
    let entry: RunFrame[] = [];
    try {
      for await (const { position: at, frame } of client.follow(runId, position, signal)) {
        resumes = 0;
        entry.push(frame);
        if (at === undefined) continue;
        position = at;
        entry.forEach(onFrame);
        if (entry.some(isEnd)) return;
        entry = [];
      }
      // The gateway ends a stream of a run that has ended, also when the last position was its end already.
      if ((await client.run(runId)).outcome !== null) return;
    } catch (error) {
      if (signal.aborted || error instanceof GatewayRefusal || resumes === RESUMES_MAX) throw error;
    }
    await sleep(RESUME_DELAY_MS, undefined, { signal });
  }
};

/** The run as it ended. */
export const endedRun = async (client: GatewayClient, runId: string): Promise<RunView> => {
  const deadline = performance.now() + VIEW_WAIT_MS;
  for (;;) {
    const view = await client.run(runId);
    if (view.outcome !== null || view.status === 'ERASED') return view;
    if (performance.now() > deadline) throw new Error(`run ${runId} has ended, but its view does not say so`);
    await sleep(50);
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunFrame } from '@inquest/contracts/run-frame';
import type { RunView } from '@inquest/contracts/run-view';
import { followFrames } from './follow-frames';
import type { GatewayClient } from './gateway-client';
import { isEnd } from './render/progress';

const VIEW_WAIT_MS = 15_000;

/** Shows every frame of a run until its end. */
export const watchRun = (
  client: GatewayClient,
  runId: string,
  onFrame: (frame: RunFrame) => void,
  signal: AbortSignal,
): Promise<void> =>
  followFrames(
    {
      follow: (position, until) => client.follow(runId, position, until),
      isEnd,
      hasEnded: async () => (await client.run(runId)).outcome !== null,
    },
    onFrame,
    signal,
  );

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

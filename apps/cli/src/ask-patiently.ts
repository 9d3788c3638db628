import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayRefusal } from './gateway-client';
import type { Output } from './output';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 500;
/** States of a system that is still starting, or that one process has just left: they pass by themselves. */
const PASSING = ['urn:inquest:problem:guards-unavailable', 'urn:inquest:problem:log-unavailable'];

/** Puts a question; waits a while where guards or log are on their way. The question has to bear a key: every try is the same run. */
export const askPatiently = async <Accepted>(
  ask: () => Promise<Accepted>,
  { out, interrupt }: { out: Output; interrupt: AbortSignal },
): Promise<Accepted> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const passing = error instanceof GatewayRefusal && PASSING.includes(error.problem.type);
      if (!passing || performance.now() > deadline) throw error;
      out.status(`         … waiting: ${error.problem.detail ?? error.problem.title}`);
      await sleep(PAUSE_MS, undefined, { signal: interrupt });
    }
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { RunAccepted } from '@inquest/contracts/run-view';
import type { Question } from './question';
import { GatewayRefusal, type GatewayClient } from './gateway-client';
import type { Output } from './output';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 500;
/** States of a system that is still starting, or that one process has just left: they pass by themselves. */
const PASSING = ['urn:inquest:problem:guards-unavailable', 'urn:inquest:problem:log-unavailable'];

/** Puts a question; waits a while where guards or log are on their way. The key makes every try the same run. */
export const askPatiently = async (
  client: GatewayClient,
  question: Question,
  key: string,
  { out, interrupt }: { out: Output; interrupt: AbortSignal },
): Promise<RunAccepted> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await client.ask(question, key);
    } catch (error) {
      const passing = error instanceof GatewayRefusal && PASSING.includes(error.problem.type);
      if (!passing || performance.now() > deadline) throw error;
      out.status(`         … waiting: ${error.problem.detail ?? error.problem.title}`);
      await sleep(PAUSE_MS, undefined, { signal: interrupt });
    }
  }
};

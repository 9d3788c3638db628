import type { Call } from './command';
import { GatewayRefusal } from './gateway-client';

/** How long what was cancelled may take to say that it is. */
const CANCEL_WAIT_MS = 20_000;

/** A Ctrl-C asks for cancellation; the ending is awaited and shown like any other. */
export const cancelOnInterrupt = (
  what: 'run' | 'case',
  cancel: () => Promise<unknown>,
  { interrupt, out }: Pick<Call, 'interrupt' | 'out'>,
): AbortSignal => {
  const giveUp = new AbortController();
  const ask = () => {
    out.note(`cancelling the ${what} ...`);
    setTimeout(
      () => giveUp.abort(new Error(`the ${what} did not end after its cancellation`)),
      CANCEL_WAIT_MS,
    ).unref();
    cancel().catch((error: Error) => {
      // Decided already: its ending is on its way.
      if (!(error instanceof GatewayRefusal)) giveUp.abort(error);
    });
  };
  if (interrupt.aborted) ask();
  else interrupt.addEventListener('abort', ask, { once: true });
  return giveUp.signal;
};

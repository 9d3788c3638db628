import { randomUUID } from 'node:crypto';
import type { RunView } from '@inquest/contracts/run-view';
import { askPatiently } from './ask-patiently';
import { textOption, type Call } from './command';
import { ExitCode, exitCodeOf } from './exit-code';
import { GatewayRefusal, type GatewayClient } from './gateway-client';
import { jsonResult } from './json-result';
import type { Output } from './output';
import type { Question } from './question';
import { NO_PROGRESS, advance, drawLine } from './render/progress';
import { drawRun } from './render/report';
import { endedRun, watchRun } from './watch-run';

/** How long a cancelled run may take to say that it is. */
const CANCEL_WAIT_MS = 20_000;

/** Shows the live progress of a run until it has ended. */
export const showProgress = async (
  client: GatewayClient,
  runId: string,
  out: Output,
  signal: AbortSignal,
): Promise<void> => {
  let progress = NO_PROGRESS;
  const tick = setInterval(() => out.status(`         … waiting for ${progress.waitingFor}`), 500);
  try {
    await watchRun(
      client,
      runId,
      (frame) => {
        const next = advance(progress, frame);
        progress = next.progress;
        if (next.line) out.lines(drawLine(next.line, out.style));
        if (!progress.ended) out.status(`         … waiting for ${progress.waitingFor}`);
      },
      signal,
    );
  } finally {
    clearInterval(tick);
    out.lines();
  }
};

/** A Ctrl-C asks for cancellation; the run's own ending is awaited and shown like any other. */
const cancelOnInterrupt = (client: GatewayClient, runId: string, { interrupt, out }: Call): AbortSignal => {
  const giveUp = new AbortController();
  const ask = () => {
    out.note('cancelling the run ...');
    setTimeout(
      () => giveUp.abort(new Error('the run did not end after its cancellation')),
      CANCEL_WAIT_MS,
    ).unref();
    client.cancel(runId).catch((error: Error) => {
      // Decided already: its ending is on its way.
      if (!(error instanceof GatewayRefusal)) giveUp.abort(error);
    });
  };
  if (interrupt.aborted) ask();
  else interrupt.addEventListener('abort', ask, { once: true });
  return giveUp.signal;
};

/** Draws a finished run, prints its JSON line, and gives its exit code. */
export const showEnding = (
  view: RunView,
  { out, options }: Pick<Call, 'out' | 'options'>,
  passing = false,
): ExitCode => {
  const full = options['full'] === true;
  out.lines(...drawRun(view, { style: out.style, columns: out.columns, full, passing }));
  if (view.source === null && view.intent === 'DIAGNOSIS' && view.outcome !== 'SUCCESS')
    out.note(
      'no source was named, so nothing could be read: ask by diagnose, with --source NAME or --incident DIR',
    );
  out.result(jsonResult(view));
  return view.outcome === null ? ExitCode.trouble : exitCodeOf(view.outcome);
};

/** Puts the question, shows what happens, and shows what came of it. */
export const askAndShow = async (
  client: GatewayClient,
  question: Question,
  call: Call,
  passing = false,
): Promise<ExitCode> => {
  const { out } = call;
  const key = textOption(call.options, 'key') ?? randomUUID();
  const { runId } = await askPatiently(client, question, key, call);
  const about = question.source ? ` on source ${out.style.bold(question.source)}` : '';
  out.lines('', out.style.bold(question.question), out.style.dim(`run ${runId}`) + about, '');
  await showProgress(client, runId, out, cancelOnInterrupt(client, runId, call));
  return showEnding(await endedRun(client, runId), call, passing);
};

import { randomUUID } from 'node:crypto';
import type { RunView } from '@inquest/contracts/run-view';
import { askPatiently } from './ask-patiently';
import { cancelOnInterrupt } from './cancel-on-interrupt';
import { textOption, type Call } from './command';
import { ExitCode, exitCodeOf } from './exit-code';
import type { GatewayClient } from './gateway-client';
import { jsonResult } from './json-result';
import type { Output } from './output';
import type { Question } from './question';
import { NO_PROGRESS, advance, drawLine } from './render/progress';
import { drawRun } from './render/report';
import { endedRun, watchRun } from './watch-run';

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
      'no source was named, so nothing could be read: --source NAME, or npm run diagnose -- --incident DIR',
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
  const { runId } = await askPatiently(() => client.ask(question, key), call);
  const about = question.source ? ` on source ${out.style.bold(question.source)}` : '';
  out.lines('', out.style.bold(question.question), out.style.dim(`run ${runId}`) + about, '');
  await showProgress(
    client,
    runId,
    out,
    cancelOnInterrupt('run', () => client.cancel(runId), call),
  );
  return showEnding(await endedRun(client, runId), call, passing);
};

import type { RunView } from '@inquest/contracts/run-view';

/**
 * The object that `--json` prints as one line: what ended the run, what was released (exactly one of report, answer,
 * reply, fallback, failure; none for CANCELLED), and what it took.
 */
export const jsonResult = (view: RunView): Record<string, unknown> => ({
  runId: view.runId,
  intent: view.intent,
  outcome: view.outcome,
  ...(view.report && { report: view.report }),
  ...(view.answer && { answer: view.answer }),
  ...(view.reply && { reply: view.reply }),
  ...(view.fallback && { fallback: view.fallback }),
  ...(view.failure && { failure: view.failure }),
  timings: view.timings,
  modelCalls: view.modelCalls,
  toolCalls: view.toolCalls,
  coverage: view.coverage,
  author: view.author,
  snapshotHash: view.snapshotHash,
});

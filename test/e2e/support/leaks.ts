import { agentResult } from '@inquest/contracts/agent-facts';
import type { RunView } from '@inquest/contracts/run-view';
import { toolResult } from '@inquest/contracts/tool-facts';
import type { RunLog } from './run-log';

/** Everything that a run knew and that only a verified report may say: its drafts and its tools' output. */
export const textsOfRun = async (log: RunLog, runId: string): Promise<string[]> => {
  const drafts = (await log.eventsOf(runId, 'DraftReceived')).map(async ({ step }) => {
    const result = await log.resultData(agentResult, runId, 'agent', step);
    return result.kind === 'DRAFT' ? (result.draft.inline ?? '') : '';
  });
  const projections = (await log.eventsOf(runId, 'ToolInvocationCompleted')).map(
    async ({ step }) => (await log.resultData(toolResult, runId, 'tool', step)).projection.inline ?? '',
  );
  return Promise.all([...drafts, ...projections]);
};

/**
 * The body of an answer without what the contract lets it say: member names, enums, ids, tools, instants, hashes, what
 * the asker wrote, and the fallback's own sentences.
 */
export const withoutConstants = (answer: string, view: RunView): string => {
  const allowed = [
    view.fallback?.title,
    view.fallback?.text,
    view.question,
    view.source,
    ...view.coverage.flatMap(({ toolCallId, tool }) => [toolCallId, tool]),
  ];
  const bare = allowed.reduce<string>((text, part) => (part ? text.replaceAll(part, '|') : text), answer);
  return bare
    .replaceAll(/"[A-Za-z]+":/g, '|')
    .replaceAll(/"[A-Z_]+"/g, '|')
    .replaceAll(/"[0-9a-f-]{36}"|"[0-9a-f]{64}"/g, '|')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '|');
};

const RUN_CHARS = 8;

/** Pieces of 8 or more characters that the text shares with any of the others. */
export const sharedRuns = (text: string, others: readonly string[]): string[] => {
  const pieces = Array.from({ length: Math.max(0, text.length - RUN_CHARS + 1) }, (_, i) =>
    text.slice(i, i + RUN_CHARS),
  );
  return [...new Set(pieces)].filter((piece) => others.some((other) => other.includes(piece)));
};

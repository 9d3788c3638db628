import { z } from 'zod';
import type { Window } from '@inquest/contracts/scope';
import { FromArgument, searchedWindow, ToArgument } from '../incident/incident-tool';
import {
  defineTool,
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  type RawResult,
  type ReadOnlyTool,
} from '../tool';
import { LOKI, type LokiContext } from './loki-context';

export const LabelArgument = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be a label name');
export const LabelsArgument = z
  .record(LabelArgument, z.string().min(1).max(253))
  .refine((labels) => Object.keys(labels).length <= 8, 'must be at most 8 labels')
  .describe('Exact values of labels, e.g. {"namespace":"shop"}. loki_labels shows names and values.');
export const WINDOW_ARGUMENTS = { from: FromArgument.optional(), to: ToArgument.optional() };

type ToolContext = Parameters<Parameters<typeof defineTool>[1]>[1];

export const lokiTool = <Schema extends z.ZodObject>(
  description: { name: string; description: string; parameters: Schema },
  run: (args: z.output<Schema>, context: ToolContext) => Promise<RawResult>,
): ReadOnlyTool =>
  defineTool(
    {
      ...description,
      toolset: LOKI,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      needsSource: false,
    },
    run,
  );

/** What is asked for, within what the source is asked at all. */
export const windowOf = (
  { lookbackMs, nowMs }: LokiContext,
  { from, to }: { from?: string; to?: string },
): Window => {
  const now = nowMs();
  const held = { from: new Date(now - lookbackMs).toISOString(), to: new Date(now).toISOString() };
  return searchedWindow(held, from, to);
};

import type { Run } from './run.state';

/** The smallest projection there is: it holds its totals and little more. */
export const PROJECTION_BYTES_MIN = 1_024;

/** Bytes that further results may take; infinite on runs that began before there was a limit. */
const contextLeft = ({ started, contextBytes, open }: Run): number => {
  const { contextBytesMax, projectionBytesMax } = started.limits;
  if (contextBytesMax === undefined) return Number.POSITIVE_INFINITY;
  const promised = open
    .filter(({ kind }) => kind === 'tool')
    .reduce((sum, step) => sum + (step.projectionBytesMax ?? projectionBytesMax), 0);
  return contextBytesMax - contextBytes - promised;
};

/** What each of `waiting` calls may bring, so that all of them fit: the same for each, since none is known to matter more. */
export const projectionShare = (run: Run, waiting: number): number =>
  Math.max(
    PROJECTION_BYTES_MIN,
    Math.min(run.started.limits.projectionBytesMax, Math.floor(contextLeft(run) / Math.max(1, waiting))),
  );

/** There is no room left for a whole turn of the smallest results: the agent has to conclude from what it has. */
export const isContextSpent = (run: Run): boolean =>
  contextLeft(run) < run.started.limits.callsPerResponseMax * PROJECTION_BYTES_MIN;

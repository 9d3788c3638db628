import type { IncidentPart } from '../sources/toolset';
import type { LokiContext } from './loki-context';
import { readLines } from './read-lines';

/** The part of an incident's interface that Loki serves: `search_logs` works on it unchanged. */
export const lokiIncident = (context: LokiContext): IncidentPart => ({
  searchLogs: ({ contains, ...query }, signal) =>
    readLines(context, { ...query, contains: contains === undefined ? undefined : [contains] }, signal),
});

import type { LokiConfig } from './config';
import type { KnownStreams } from './known-streams';
import type { LokiApi } from './loki-api';

export const LOKI = 'loki';

/** What every part of the toolset works with. */
export type LokiContext = {
  api: LokiApi;
  known: KnownStreams;
  config: Pick<LokiConfig, 'serviceLabels' | 'levelLabel' | 'matchers' | 'linesMax'>;
  lookbackMs: number;
  nowMs: () => number;
};

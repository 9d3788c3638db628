import type { RequestOptions } from 'node:https';

/** How requests of one cluster reach it: its address, and who they say they are. */
export type ClusterAccess = {
  /** `https://host:port`, with a path where the API stands behind one. */
  server: string;
  /** Adds credentials and trust to a request; asked each time, since tokens are renewed. */
  authorize(options: RequestOptions): Promise<void>;
};

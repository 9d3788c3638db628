import type { FactHeaders } from '@inquest/contracts/evidence-bundle';

/** A fact of the run as its reader found it. */
export type LogFact = {
  seq: number;
  subject: string;
  /** ISO instant of the broker. */
  storedAt: string;
  from: 'LOG' | 'ARCHIVE';
  headers: FactHeaders;
  /** sha256 of the body's canonical JSON: known of every fact, also where the body is not. */
  dataHash: string;
  /** Undefined: only the hash is known. */
  data: unknown;
};

/** Everything that was found of one run. */
export type RunMaterial = {
  runId: string;
  tenant: string;
  /** Recorded partition count of the log. */
  partitions: number;
  /** In any order. */
  facts: readonly LogFact[];
  /** Texts that facts name by digest instead of holding them, by that digest; what could not be had is absent. */
  texts: ReadonlyMap<string, string>;
  /** The released bytes from the archive, for a run whose verdict the log has forgotten. */
  archived: { report: string | null; snapshot: string | null } | null;
};

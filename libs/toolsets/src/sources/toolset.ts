import type { IncidentSource } from '../incident-source';
import type { ReadOnlyTool } from '../tool';

/** What a connection answered, for `inquest doctor`. */
export type ConnectionCheck = {
  ok: boolean;
  /** One line: version and size of what answers, or what went wrong. Holds no secret. */
  detail: string;
  /** What a person does about it; null where all is well. */
  remedy: string | null;
};

/** The parts of an {@link IncidentSource} that one backend can serve. */
export type IncidentPart = Partial<Omit<IncidentSource, 'name'>> & {
  /** Whether there is a service of this name, for parts that know only services in trouble. */
  knowsService?(service: string, signal: AbortSignal): Promise<boolean>;
};

/**
 * One configured connection of a source, opened once per process. It connects when it is first used, so that a source
 * that is away keeps no process from starting. Its tools are bound to it.
 */
export type Toolset = {
  /** Kind and, where a source has several of a kind, its name: `prometheus`, `postgres.orders`. */
  readonly name: string;
  /** What an agent can call. Throws a SourceFailure where that is known only to a backend that does not answer. */
  tools(signal: AbortSignal): Promise<readonly ReadOnlyTool[]>;
  /** Lets the incident tools work on it. */
  readonly incident?: IncidentPart;
  check(signal: AbortSignal): Promise<ConnectionCheck>;
  close(): Promise<void>;
};

/** What a toolset is opened with beside its own section of the configuration. */
export type Surroundings = {
  /** The source's name. */
  source: string;
  /** The section's name where a source has several of a kind. */
  instance: string;
  env: Readonly<Record<string, string | undefined>>;
  /** How far back the source is asked where nobody says from when. */
  lookbackMs: number;
  nowMs?: () => number;
};

export type OpenToolset<Config> = (config: Config, around: Surroundings) => Toolset;

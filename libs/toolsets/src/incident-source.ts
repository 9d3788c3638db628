import type { ToolErrorClass } from '@inquest/contracts/ledger';
import type { Window } from '@inquest/contracts/scope';
import type {
  Alert,
  Dependency,
  IncidentEvent,
  IncidentObject,
  LogLevel,
  LogLine,
  MetricSeries,
} from './incident-format';

/** Items of one query and what is known about their completeness. */
export type Page<Item> = {
  items: Item[];
  /** How many items there are without the limit; null where the source does not say. */
  matched: number | null;
  limitHit: boolean;
  sampled: boolean;
  partial: boolean;
  permissionFiltered: boolean;
  /** Whether everything that the query names (kind, service, metric, label, namespace) exists; null: it names nothing. */
  selectorKnown: boolean | null;
  /** Known names near to an unknown one. */
  suggestions: string[];
};

export type ObjectQuery = { kind?: string; namespace?: string; nameContains?: string; limit: number };
export type LogQuery = {
  service?: string;
  /** This level or a graver one. */
  level?: LogLevel;
  /** Compared without regard to case. */
  contains?: string;
  window: Window;
  order: 'oldest' | 'newest';
};
export type MetricQuery = { name: string; service?: string; labels?: Record<string, string>; window: Window };
export type AlertQuery = { service?: string; includeResolved: boolean };

/**
 * Read access to what is known about one incident. A recorded folder serves it now; a Kubernetes snapshot or a live
 * cluster serves it as well: every query carries its filters, and every answer says what it leaves out. Nothing here
 * can change anything. Methods throw {@link SourceFailure} when the source cannot answer.
 */
export interface IncidentSource {
  /** The configured name that requests use; never a path or an address. */
  readonly name: string;
  /** From when to when the source holds data. */
  extent(signal: AbortSignal): Promise<{ window: Window; services: string[] }>;
  listObjects(query: ObjectQuery, signal: AbortSignal): Promise<Page<IncidentObject>>;
  /** `window` where events are kept for a shorter time than the source's other data. */
  listEvents(query: ObjectQuery, signal: AbortSignal): Promise<Page<IncidentEvent> & { window?: Window }>;
  describeObject(
    query: { kind: string; name: string; namespace?: string },
    signal: AbortSignal,
  ): Promise<Page<IncidentObject> & { events: IncidentEvent[] }>;
  /** All matching lines, in the order asked for: the caller summarises and cuts. */
  searchLogs(query: LogQuery, signal: AbortSignal): Promise<Page<LogLine>>;
  listMetrics(
    query: { service?: string; nameContains?: string },
    signal: AbortSignal,
  ): Promise<Page<MetricSeries>>;
  queryMetric(query: MetricQuery, signal: AbortSignal): Promise<Page<MetricSeries>>;
  activeAlerts(query: AlertQuery, signal: AbortSignal): Promise<Page<Alert>>;
  dependencies(query: { service?: string }, signal: AbortSignal): Promise<Page<Dependency>>;
}

/** The source was asked and did not answer as it should. The cause is for logs; it never reaches a model or a person. */
export class SourceFailure extends Error {
  constructor(
    readonly errorClass: Extract<ToolErrorClass, 'SOURCE_FAILED' | 'ACCESS_DENIED' | 'RESULT_UNUSABLE'>,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'SourceFailure';
  }
}

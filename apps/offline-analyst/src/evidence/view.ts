import type { Meta, ToolAnswer } from '../conversation/conversation';
import type { Documents, Place } from './place';

/** The tool results of an investigation as records, each with its place. */
export type Alert = {
  place: Place;
  name: string;
  severity: string;
  service: string | null;
  /** The machine that it is about, where it is about one. */
  node: string | null;
  startsAtMs: number;
  endsAtMs: number | null;
  summary: string;
};

export type Dependency = { place: Place; from: string; to: string };

export type SystemObject = {
  place: Place;
  kind: string;
  name: string;
  namespace: string | null;
  labels: Record<string, string>;
  owners: { kind: string; name: string }[];
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
  /** Whether the whole object was read, and not only its line in a list. */
  described: boolean;
  /** Where else it was seen: its line in a list, for instance, beside its description. */
  alsoAt: Place[];
};

export type SystemEvent = {
  place: Place;
  timeMs: number;
  type: string;
  reason: string;
  object: { kind: string; name: string; namespace: string | null };
  message: string;
  count: number;
};

export type LogLine = { place: Place; timeMs: number; service: string; level: string; message: string };

/** Lines of one service and level that differ in numbers and ids only. */
export type LogPattern = {
  place: Place;
  pattern: string;
  service: string;
  level: string;
  count: number;
  firstMs: number;
  lastMs: number;
  /** A whole message of this pattern and where it stands, for quoting. */
  sample: { place: Place; message: string } | null;
};

export type MetricInfo = {
  place: Place;
  name: string;
  labels: Record<string, string>;
  unit: string;
  min: number | null;
  max: number | null;
  last: number | null;
};

export type ChangePoint = { place: Place; atMs: number; before: number; after: number };

export type Series = {
  place: Place;
  name: string;
  unit: string;
  labels: Record<string, string>;
  service: string | null;
  statistics: {
    place: Place;
    count: number;
    min: number;
    max: number;
    mean: number;
    first: number;
    last: number;
    p50: number;
    p95: number;
    maxAtMs: number;
  };
  changes: ChangePoint[];
  /** Thinned where the series is long; `complete` says that nothing is left out. */
  points: { atMs: number; value: number }[];
  complete: boolean;
};

export type KnowledgeDocument = { place: Place; id: string; title: string; text: string };

/** A call with what it was asked and how complete its answer is. */
export type Answered = Pick<ToolAnswer, 'toolCallId' | 'tool' | 'args'> & { meta: Meta };

export type View = {
  documents: Documents;
  calls: Answered[];
  alerts: Alert[];
  dependencies: Dependency[];
  objects: SystemObject[];
  events: SystemEvent[];
  logs: LogLine[];
  patterns: LogPattern[];
  metrics: MetricInfo[];
  series: Series[];
  knowledge: KnowledgeDocument[];
  question: string;
  window: { fromMs: number; toMs: number } | null;
};

import type { Json } from '@inquest/contracts/canonical-json';
import type { RenderedDocument } from '@inquest/contracts/ledger';
import type { Scope, Window } from '@inquest/contracts/scope';
import type { Redactor } from '@inquest/redaction/redactor';
import type { z } from 'zod';
import type { IncidentSource } from './incident-source';

export type JsonObject = { [key: string]: Json };

/** What a query was restricted to and how complete its answer is: the part of a ledger entry that the tool knows. */
export type Coverage = {
  scope: Scope;
  /** The window that was really searched; null for a tool that has no time. */
  window: Window | null;
  dataSpan: Window | null;
  limitHit: boolean;
  sampled: boolean;
  partial: boolean;
  permissionFiltered: boolean;
  selectorKnown: boolean | null;
  /** JSON pointers into the projection, `*` for any index, of text that a third party can write. */
  untrustedPaths: readonly string[];
  /** Known names near to an unknown one that was asked for. */
  suggestions: readonly string[];
};

/** What a tool found, before redaction and bounds. `matched` counts without the limit; null where the source does not say. */
export type RawResult = Coverage &
  (
    | {
        kind: 'ROWS';
        matched: number | null;
        rows: readonly Json[];
        /** Figures over everything that matched, also over what the limit left out. */
        summary?: JsonObject;
        /** For documents: one id for each row, in the same order. */
        documents?: readonly RenderedDocument[];
      }
    | { kind: 'SERIES'; matched: number | null; series: readonly Json[] }
    | { kind: 'OBJECT'; object: JsonObject | null; events: readonly Json[] }
  );

export type ToolContext = {
  /** Aborts when the run is cancelled or the tool's time is over. */
  signal: AbortSignal;
  source: IncidentSource | null;
  /** The instant of the request, ISO 8601. */
  asOf: string;
  /** For tools that make new text of what they found: the border cannot know a secret that was cut or masked before. */
  redactor: Redactor;
};

export type ToolService = 'tool' | 'rag';

export type ToolDescription = {
  readonly name: string;
  readonly toolset: string;
  /** Written for the model that chooses among tools. */
  readonly description: string;
  /** The service that runs it; the harness's static table. */
  readonly service: ToolService;
  readonly timeoutMs: number;
  readonly projectionBytesMax: number;
};

export const TOOL_TIMEOUT_MS = 20_000;
export const PROJECTION_BYTES_MAX = 32 * 1024;

export type PreparedCall =
  | { kind: 'PREPARED'; run: (context: ToolContext) => Promise<RawResult> }
  /** `issues` name places and expectations, never values. */
  | { kind: 'BAD_ARGUMENTS'; issues: string[] };

/** A tool that can only read: by type, since neither its context nor its result offers anything to write with. */
export type ReadOnlyTool = ToolDescription & {
  readonly needsSource: boolean;
  readonly parameters: z.ZodType;
  /** Where the arguments are declared by somebody else's JSON Schema, as models are to see it. */
  readonly jsonSchema?: Record<string, unknown>;
  prepare(argumentsObject: unknown): PreparedCall;
};

/** The arguments are well-formed and still make no query, e.g. a window that ends before it begins. */
export class ArgumentsRefused extends Error {
  constructor(readonly issue: string) {
    super(issue);
    this.name = 'ArgumentsRefused';
  }
}

const ISSUES_MAX = 8;

/** Names in an issue come from the model: a plain character set keeps them harmless wherever they are shown. */
const plainName = (name: PropertyKey): string =>
  String(name)
    .replace(/[^A-Za-z0-9_.-]/g, '?')
    .slice(0, 64);

const issuesOf = (error: z.ZodError): string[] =>
  error.issues.slice(0, ISSUES_MAX).map((issue) => {
    const place = issue.path.map(plainName).join('.') || 'arguments';
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, ISSUES_MAX).map(plainName) : [];
    return `${place}: ${unknown.length > 0 ? `unknown ${unknown.join(', ')}` : issue.message}`.slice(0, 200);
  });

type Definition<Schema extends z.ZodObject> = ToolDescription & { parameters: Schema; needsSource?: boolean };

/** Binds a schema to the function that takes its output; the schema must be strict, so that a typo is not ignored. */
export const defineTool = <Schema extends z.ZodObject>(
  definition: Definition<Schema>,
  run: (args: z.output<Schema>, context: ToolContext) => Promise<RawResult>,
): ReadOnlyTool => ({
  ...definition,
  needsSource: definition.needsSource ?? false,
  prepare: (argumentsObject) => {
    const parsed = definition.parameters.safeParse(argumentsObject);
    return parsed.success
      ? { kind: 'PREPARED', run: (context) => run(parsed.data, context) }
      : { kind: 'BAD_ARGUMENTS', issues: issuesOf(parsed.error) };
  },
});

import { z } from 'zod';
import type { Json } from '@inquest/contracts/canonical-json';
import { filterText, scopeOf } from '../incident/incident-tool';
import {
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  defineTool,
  type JsonObject,
  type ReadOnlyTool,
} from '../tool';
import type { Ask, Database } from './database';

export const POSTGRES = 'postgres';

/** What a diagnostic found. It stands for the moment of the call, not for the window of a question. */
export type Found = {
  rows: Json[];
  matched?: number;
  summary?: JsonObject;
  /** The role may not see everything. */
  permissionFiltered?: boolean;
  /** JSON pointers of text that clients of the database can write. */
  untrusted: readonly string[];
};

const DatabaseArgument = (names: readonly string[]) => {
  const [first = '', ...rest] = names;
  const name = z.enum([first, ...rest]).describe('Which database.');
  return names.length === 1 ? name.default(first) : name;
};

/** One fixed question to a database: nothing that a model writes becomes part of a statement. */
export const postgresTool = <Shape extends z.ZodRawShape>(
  databases: ReadonlyMap<string, Database>,
  definition: { name: string; description: string; parameters: Shape },
  look: (ask: Ask, args: z.output<z.ZodObject<Shape>>) => Promise<Found>,
): ReadOnlyTool =>
  defineTool(
    {
      name: definition.name,
      toolset: POSTGRES,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description: `${definition.description} It shows the moment of the call, whatever window the question has.`,
      parameters: z.strictObject({
        ...definition.parameters,
        database: DatabaseArgument([...databases.keys()]),
      }),
    },
    async (args, { signal }) => {
      const { database: name, ...own } = args as { database: string } & Record<string, unknown>;
      const database = databases.get(name);
      if (database === undefined) throw new Error(`no database ${name}`);
      const found = await database.read(signal, (ask) => look(ask, own as z.output<z.ZodObject<Shape>>));
      const filter = Object.fromEntries(
        Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
      );
      return {
        kind: 'ROWS',
        matched: found.matched ?? found.rows.length,
        rows: found.rows,
        ...(found.summary ? { summary: found.summary } : {}),
        scope: scopeOf({ service: name, filter: filterText(filter) }),
        window: null,
        dataSpan: null,
        limitHit: (found.matched ?? found.rows.length) > found.rows.length,
        sampled: false,
        partial: false,
        permissionFiltered: found.permissionFiltered ?? false,
        selectorKnown: null,
        suggestions: [],
        untrustedPaths: found.untrusted,
      };
    },
  );

export const round = (value: unknown): number | null =>
  value === null || value === undefined ? null : Math.round(Number(value) * 1_000) / 1_000;

import { z } from 'zod';
import { INCIDENT_TOOLSET_TOOLS } from './incident/incident-toolset';
import { TOOL_TIMEOUT_MS, PROJECTION_BYTES_MAX, type ToolDescription } from './tool';

/** Arguments of `knowledge_lookup`; knowledge-rag validates with the same schema that models are shown. */
export const KnowledgeLookupArguments = z.strictObject({
  query: z
    .string()
    .trim()
    .min(2)
    .max(500)
    .describe('What to look for, in words as a runbook would use them.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(10)
    .describe('At most this many passages (1 to 10, default 5).')
    .optional(),
});
export type KnowledgeLookupArguments = z.infer<typeof KnowledgeLookupArguments>;

/** Served by knowledge-rag: described here, executed there. */
export const KNOWLEDGE_LOOKUP: ToolDescription & { readonly parameters: z.ZodType } = {
  name: 'knowledge_lookup',
  toolset: 'knowledge',
  service: 'rag',
  timeoutMs: TOOL_TIMEOUT_MS,
  projectionBytesMax: PROJECTION_BYTES_MAX,
  description:
    'Looks up runbook passages. Returns passages with their exact document ids; nothing else may be cited as knowledge. ' +
    'Knowledge explains and advises; it is no observation of the incident.',
  parameters: KnowledgeLookupArguments,
};

export type CatalogueEntry = Omit<ToolDescription, 'timeoutMs' | 'projectionBytesMax'> & {
  /** JSON Schema of the arguments, as model endpoints take it. */
  readonly parameters: Record<string, unknown>;
};

/** The validating pattern of an instant is 400 characters of noise to a model; `format` says the same. */
const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      delete jsonSchema.propertyNames;
    },
  });
  return rest;
};

/** One tool as a model is told of it. */
export const catalogueEntry = (
  tool: ToolDescription & { readonly parameters: z.ZodType; readonly jsonSchema?: Record<string, unknown> },
): CatalogueEntry => {
  const { name, toolset, description, service, parameters, jsonSchema } = tool;
  return { name, toolset, description, service, parameters: jsonSchema ?? jsonSchemaOf(parameters) };
};

/** All tools that a Diagnosis Agent can see over a recorded incident, by name. The table tool -> service is static: nothing a model writes changes it. */
export const TOOL_CATALOGUE: ReadonlyMap<string, CatalogueEntry> = new Map(
  [...INCIDENT_TOOLSET_TOOLS, KNOWLEDGE_LOOKUP].map((tool) => [tool.name, catalogueEntry(tool)]),
);

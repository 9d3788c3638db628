import { Problem } from '@inquest/contracts/problem';
import { z } from 'zod';
import { VERSION } from '../version';
import type { Answer, Operation } from './operation';
import { OPERATIONS } from './operations';

type Schemas = Map<string, unknown>;
type JsonSchema = Record<string, unknown>;

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  }) as JsonSchema;
  return rest;
};

const reference = (schemas: Schemas, name: string, schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  if (!schemas.has(name)) schemas.set(name, jsonSchema(schema, io));
  return { $ref: `#/components/schemas/${name}` };
};

const answerOf = (
  schemas: Schemas,
  { meaning, schema, contentType = 'application/json' }: Answer,
): JsonSchema => ({
  description: meaning,
  ...((schema ?? contentType !== 'application/json') && {
    content: {
      [contentType]: {
        schema: schema ? reference(schemas, schema.name, schema.schema, 'output') : { type: 'string' },
      },
    },
  }),
});

const parametersOf = ({ path, query, headers = [] }: Operation): JsonSchema[] => [
  ...[...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  ...Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: jsonSchema(schema as z.ZodType, 'input'),
  })),
  ...headers.map(({ name, meaning }) => ({
    name,
    in: 'header',
    required: false,
    description: meaning,
    schema: { type: 'string' },
  })),
];

const operationOf = (schemas: Schemas, operation: Operation): JsonSchema => {
  const { summary, scopes, body, answers, problems } = operation;
  const denials = scopes.length > 0 ? [401, 403] : [];
  const problemAnswer = {
    description: 'RFC 9457 problem details.',
    content: { 'application/problem+json': { schema: reference(schemas, 'Problem', Problem, 'output') } },
  };
  const parameters = parametersOf(operation);
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    security: scopes.length > 0 ? [{ bearer: [...scopes] }] : [],
    ...(body && {
      requestBody: {
        required: body.required,
        content: { 'application/json': { schema: reference(schemas, body.name, body.schema, 'input') } },
      },
    }),
    responses: Object.fromEntries([
      ...[...denials, ...problems].map((status) => [String(status), problemAnswer]),
      ...answers.map((answer) => [String(answer.status), answerOf(schemas, answer)]),
    ]),
  };
};

const describe = (): JsonSchema => {
  const schemas: Schemas = new Map();
  const paths: Record<string, JsonSchema> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationOf(schemas, operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inquest',
      version: VERSION,
      description:
        'Evidence-guarded incident diagnosis. Nothing is released that both guards have not passed.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A static token of this installation; the listed scopes are alternatives.',
        },
      },
    },
  };
};

let description: JsonSchema | undefined;

/** The API as OpenAPI 3.1, made once from the contracts. */
export const openApi = (): JsonSchema => (description ??= describe());

import { z } from 'zod';
import { CATALOGUE } from './catalogue';
import type { FactContract } from './define-fact';

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  format?: string;
  maxLength?: number;
  maxItems?: number;
  maximum?: number;
};

const bound = (schema: Schema): string => {
  if (schema.maxLength !== undefined) return ` ≤ ${schema.maxLength}`;
  if (schema.maxItems !== undefined) return ` ≤ ${schema.maxItems}`;
  return schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER
    ? ` ≤ ${schema.maximum}`
    : '';
};

const NESTED = 'object';

/** A type in a few words; objects are listed member by member below it. */
const words = (schema: Schema): string => {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(' · ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(words))].join(' or ');
  if (schema.items !== undefined) return `list of ${words(schema.items)}${bound(schema)}`;
  if (schema.properties !== undefined) return NESTED;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any JSON');
  return `${type}${schema.format === undefined ? '' : ` (${schema.format})`}${bound(schema)}`;
};

const DEPTH_MAX = 4;

const members = (schema: Schema, depth: number): string[] => {
  const variants = schema.oneOf ?? schema.anyOf;
  const objects = variants?.filter((v) => v.properties !== undefined) ?? [];
  const [only] = objects;
  if (objects.length === 1 && only !== undefined) return members(only, depth);
  if (objects.length > 1) {
    return objects.flatMap((variant, index) => {
      const tag =
        variant.properties?.['kind']?.const ?? variant.properties?.['type']?.const ?? `variant ${index + 1}`;
      return [`${'  '.repeat(depth)}- **${String(tag)}**`, ...members(variant, depth + 1)];
    });
  }
  if (schema.items !== undefined) return members(schema.items, depth);
  if (schema.properties === undefined || depth > DEPTH_MAX) return [];
  const required = new Set(schema.required);
  return Object.entries(schema.properties).flatMap(([name, member]) => [
    `${'  '.repeat(depth)}- \`${name}\`${required.has(name) ? '' : '?'}: ${words(member)}`,
    ...members(member, depth + 1),
  ]);
};

const section = ({ type, subject, writers, meaning, schema }: FactContract): string => {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema;
  return [
    `## ${type}`,
    '',
    meaning,
    '',
    `- subject: \`${subject}\``,
    `- written by: ${writers.join(', ')}`,
    '',
    ...members(json, 0),
    '',
  ].join('\n');
};

/** The text of `docs/events.md`: every contract of the catalogue, from the schemas that the services validate with. */
export const eventsDoc = (): string =>
  [
    '# Events',
    '',
    'Generated from `libs/contracts` by `npm run docs:generate`; a test fails when the two differ.',
    '',
    'Every message is CloudEvents 1.0 in binary mode over NATS headers (`ce-*`, `traceparent`) with a JSON body. `?` marks a member',
    'that may be absent; every object is closed. A breaking change is a new contract beside the old one (`.v2`), never a change of one.',
    '',
    ...CATALOGUE.map(section),
  ].join('\n');

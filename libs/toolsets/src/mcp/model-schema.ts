import type { Json } from '@inquest/contracts/canonical-json';

type Schema = { [key: string]: Json };

const DEPTH_MAX = 8;
const PROPERTIES_MAX = 64;
const DESCRIPTION_CHARS = 300;
const BYTES_MAX = 16 * 1024;

/** What every model endpoint understands. Everything else of JSON Schema some endpoint refuses, and with it the whole request. */
const KEPT = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const isSchema = (value: unknown): value is Schema =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const plainText = (text: string): string =>
  text
    .replace(/[^\P{C}\n]/gu, ' ')
    .trim()
    .slice(0, DESCRIPTION_CHARS)
    .toWellFormed();

/** `#/$defs/Name`, or undefined for what stands nowhere in the schema. */
const referred = (root: Schema, ref: string): Schema | undefined => {
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = part.replace(/~1/g, '/').replace(/~0/g, '~');
    if (!isSchema(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return isSchema(at) ? at : undefined;
};

class Repair {
  constructor(private readonly root: Schema) {}

  /** A part of the schema; `{}` (anything) for what is nested too deep or refers to itself: the server still checks. */
  part(value: unknown, depth: number, refs: readonly string[]): Schema {
    if (!isSchema(value) || depth > DEPTH_MAX) return {};
    const { $ref: ref } = value;
    if (typeof ref === 'string') {
      const target = refs.includes(ref) ? undefined : referred(this.root, ref);
      return target ? this.part({ ...target, ...withoutRef(value) }, depth, [...refs, ref]) : {};
    }
    const description: Schema =
      typeof value['description'] === 'string' ? { description: plainText(value['description']) } : {};
    const anyOf = value['anyOf'] ?? value['oneOf'];
    if (Array.isArray(anyOf) && anyOf.length > 0)
      return { anyOf: anyOf.slice(0, 16).map((each) => this.part(each, depth + 1, refs)), ...description };
    if (Array.isArray(value['allOf'])) return { ...this.merged(value, depth, refs), ...description };
    return { ...this.typed(value, depth, refs), ...description };
  }

  /** All parts of an `allOf` that are objects, as one. */
  private merged(value: Schema, depth: number, refs: readonly string[]): Schema {
    const parts = [withoutAllOf(value), ...(value['allOf'] as Json[])].map((each) =>
      this.part(each, depth + 1, refs),
    );
    const objects = parts.filter((each) => isSchema(each['properties']));
    if (objects.length === 0) return parts.find((each) => 'type' in each) ?? {};
    return {
      type: 'object',
      properties: Object.assign({}, ...objects.map((each) => each['properties'])) as Schema,
      required: [...new Set(objects.flatMap((each) => (each['required'] ?? []) as string[]))],
    };
  }

  private typed(value: Schema, depth: number, refs: readonly string[]): Schema {
    if ('const' in value) return { enum: [value['const'] ?? null] };
    const types = [value['type']]
      .flat()
      .filter((each): each is string => typeof each === 'string' && TYPES.has(each));
    const kept: Schema = Object.fromEntries(
      KEPT.flatMap((key) => (typeof value[key] === 'number' ? [[key, value[key]]] : [])),
    );
    const values: Schema = Array.isArray(value['enum']) ? { enum: value['enum'].slice(0, 200) } : {};
    if (types.length > 1)
      return {
        anyOf: types.map((type) => ({
          ...this.ofType(type, value, depth, refs),
          ...(type === 'null' ? {} : kept),
        })),
      };
    const [type] = types;
    if (type === undefined && isSchema(value['properties'])) return this.object(value, depth, refs);
    if (type === undefined) return values;
    return { ...this.ofType(type, value, depth, refs), ...kept, ...values };
  }

  private ofType(type: string, value: Schema, depth: number, refs: readonly string[]): Schema {
    if (type === 'object') return this.object(value, depth, refs);
    // An array without items is refused by some endpoints.
    return type === 'array' ? { type, items: this.part(value['items'], depth + 1, refs) } : { type };
  }

  object(value: Schema, depth: number, refs: readonly string[]): Schema {
    const all = isSchema(value['properties']) ? Object.entries(value['properties']) : [];
    const properties = Object.fromEntries(
      all
        .filter(([name]) => name.length > 0 && name.length <= 128)
        .slice(0, PROPERTIES_MAX)
        .map(([name, each]) => [name, this.part(each, depth + 1, refs)]),
    );
    const required = Array.isArray(value['required'])
      ? value['required'].filter(
          (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
        )
      : [];
    return {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
    };
  }
}

const withoutRef = ({ $ref: _, ...rest }: Schema): Schema => rest;
const withoutAllOf = ({ allOf: _, ...rest }: Schema): Schema => rest;

const bytesOf = (schema: Schema): number => Buffer.byteLength(JSON.stringify(schema), 'utf8');

const withoutDescriptions = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => key !== 'description' || typeof item !== 'string')
      .map(([key, item]) => [key, withoutDescriptions(item)]),
  );
};

/**
 * A tool's arguments as any model endpoint takes them: an object with typed members, whatever its server wrote. What is
 * lost here only makes the schema wider; the server checks what it gets. Undefined for one that is too large to show.
 */
export const modelSchema = (inputSchema: unknown): Schema | undefined => {
  const root = isSchema(inputSchema) ? inputSchema : {};
  const { description: _, ...repaired } = new Repair(root).part(root, 0, []);
  const schema = repaired['type'] === 'object' ? repaired : { type: 'object', properties: {} };
  if (bytesOf(schema) <= BYTES_MAX) return schema;
  const bare = withoutDescriptions(schema) as Schema;
  return bytesOf(bare) <= BYTES_MAX ? bare : undefined;
};

export { plainText };

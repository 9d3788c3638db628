import fc from 'fast-check';
import { McpConfig } from './config';
import { offeredName } from './mcp-toolset';
import { modelSchema } from './model-schema';

describe('the arguments of a tool, as endpoints take them', () => {
  it.each<[string, unknown, unknown]>([
    ['nothing at all', undefined, { type: 'object', properties: {} }],
    [
      'no type',
      { properties: { a: { type: 'string' } } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ],
    [
      'a schema of its own draft',
      { $schema: 'x', type: 'object', properties: {}, additionalProperties: false },
      { type: 'object', properties: {} },
    ],
    [
      'several types',
      { type: 'object', properties: { a: { type: ['string', 'null'], maxLength: 3 } } },
      { type: 'object', properties: { a: { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }] } } },
    ],
    [
      'oneOf and const',
      { type: 'object', properties: { a: { oneOf: [{ const: 'x' }, { type: 'integer' }] } } },
      { type: 'object', properties: { a: { anyOf: [{ enum: ['x'] }, { type: 'integer' }] } } },
    ],
    [
      'a reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'boolean' } } },
      { type: 'object', properties: { a: { type: 'boolean' } } },
    ],
    [
      'a reference to itself',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A' } },
        $defs: { A: { type: 'object', properties: { b: { $ref: '#/$defs/A' } } } },
      },
      { type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } },
    ],
    [
      'a list without items',
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ],
    [
      'a member that is required and not there',
      { type: 'object', properties: {}, required: ['ghost'] },
      { type: 'object', properties: {} },
    ],
    [
      'allOf of objects',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'number' } } },
        ],
      },
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
    ],
    ['no object', { type: 'string' }, { type: 'object', properties: {} }],
  ])('%s', (_, given, shown) => expect(modelSchema(given)).toEqual(shown));

  it('loses descriptions before it is refused for its size', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`p${i}`, { type: 'string', description: 'd'.repeat(400) }]),
    );
    expect(JSON.stringify(modelSchema({ type: 'object', properties }))).not.toContain('description');
    const large = {
      type: 'object',
      properties: { a: { enum: Array.from({ length: 200 }, (_, i) => `${i}`.repeat(100)) } },
    };
    expect(modelSchema(large)).toBeUndefined();
  });

  it('is bounded and an object, whatever the server wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 6 }), (a, b) => {
        const schema = modelSchema({ type: 'object', properties: { a, b }, $defs: { a, b } });
        if (schema === undefined) return;
        expect(schema['type']).toBe('object');
        expect(JSON.stringify(schema).length).toBeLessThanOrEqual(16 * 1024);
        expect(JSON.stringify(schema)).not.toContain('$ref":');
      }),
    );
  });
});

describe('the name of a tool', () => {
  it('is plain, bounded and its own', () => {
    expect(offeredName('files', 'read_file')).toBe('mcp_files_read_file');
    const other = offeredName('files', 'read-file');
    expect(other).toMatch(/^mcp_files_read_file_[0-9a-f]{8}$/);
    expect(offeredName('files', 'read.file')).not.toBe(other);
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 128 }), (tool) => {
        expect(offeredName('a-b', tool)).toMatch(/^[A-Za-z0-9_]{1,64}$/);
      }),
    );
  });
});

describe('the configuration of a server', () => {
  it.each([
    { tools: ['a'] },
    { command: 'x', url: 'http://h/', tools: ['a'] },
    { command: 'x', tools: [] },
    { command: 'x', tools: [{ name: 'a', readOnly: false }] },
    { url: 'ftp://h/', tools: ['a'] },
  ])('%j is refused', (config) => expect(McpConfig.safeParse(config).success).toBe(false));
});

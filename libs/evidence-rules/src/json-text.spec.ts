import fc from 'fast-check';
import { JSON_DEPTH_MAX, readJson } from './json-text';

const duplicatesOf = (text: string) => {
  const reading = readJson(text, 1_000_000);
  return reading.kind === 'JSON' ? reading.duplicateKeys : reading.why;
};

describe('readJson', () => {
  it.each([
    ['a repeated key', '{"a":1,"a":2}', ['/a']],
    ['an escaped spelling', '{"ab":1,"\\u0061b":2}', ['/ab']],
    ['a surrogate pair and its escapes', '{"🔥":1,"\\ud83d\\udd25":2}', ['/🔥']],
    ['a key of an element', '[{"a":1},{"a":1,"a":2}]', ['/1/a']],
    ['a key behind a nested object', '{"a":{"a":1},"b":[{},[]],"a":2}', ['/a']],
    ['a key three times', '{"a":1,"a":2,"a":3}', ['/a', '/a']],
    ['a key with a slash', '{"x/y":1,"x/y":2}', ['/x~1y']],
    ['equal keys in different objects', '{"a":{"b":1},"c":{"b":1}}', []],
    ['a value that looks like a key', '{"a":"a","b":"\\"a\\":"}', []],
    ['a key in a string', '{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ])('finds %s', (_, text, expected) => expect(duplicatesOf(text)).toEqual(expected));

  it.each([
    ['no JSON', '{"a":}', 'SYNTAX'],
    ['an open string', '{"a', 'SYNTAX'],
    ['a trailing comma', '{"a":1,}', 'SYNTAX'],
    ['a byte order mark', '\uFEFF{}', 'SYNTAX'],
    ['deep nesting', '['.repeat(JSON_DEPTH_MAX + 1) + ']'.repeat(JSON_DEPTH_MAX + 1), 'TOO_DEEP'],
    ['a long text', ' '.repeat(1_000_001), 'TOO_LONG'],
  ])('refuses %s', (_, text, why) => expect(duplicatesOf(text)).toBe(why));

  it('finds no duplicates in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(readJson(text, 1_000_000)).toEqual({
          kind: 'JSON',
          value: JSON.parse(text),
          duplicateKeys: [],
        });
      }),
      { numRuns: 200 },
    );
  });

  it('never throws, whatever the text', () => {
    const fragments = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', ' ', '\\u00', 'null', '\u2028'),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(fragments, (parts) => {
        expect(() => readJson(parts.join(''), 1_000)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});

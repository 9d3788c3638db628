import fc from 'fast-check';
import { canonicalJson, hashOf, sha256 } from './canonical-json';

it('orders keys, drops undefined and writes no white space', () => {
  expect(canonicalJson({ b: 1, a: [true, null, undefined], c: undefined, é: 'x' })).toBe(
    '{"a":[true,null,null],"b":1,"é":"x"}',
  );
});

it('does not depend on the order in which members were written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(hashOf(reversed)).toBe(hashOf(object));
    }),
  );
});

it('is read back as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});

it('makes text well-formed, since a lone surrogate has no UTF-8', () => {
  expect(canonicalJson('a\ud800')).toBe('"a\ufffd"');
});

it.each([NaN, Infinity, () => 1, 1n])('refuses %p', (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

it('hashes UTF-8 bytes', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

import fc from 'fast-check';
import { CANDIDATES_MAX, leavesOf, pointersWhere, resolvePointer, toPointer } from './json-pointer';

describe('leavesOf', () => {
  it('names every scalar by the pointer that leads to it, in the order of the document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (document) => {
        const leaves = [...leavesOf(document)];
        for (const { path, value } of leaves)
          expect(resolvePointer(document, toPointer(path))).toEqual({ found: true, value });
        const texts = JSON.stringify(leaves.map(({ value }) => value));
        const inOrder: unknown[] = [];
        JSON.stringify(document, (_, value: unknown) => {
          if (value === null || typeof value !== 'object') inOrder.push(value);
          return value;
        });
        expect(texts).toBe(JSON.stringify(inOrder));
      }),
      { numRuns: 200 },
    );
  });

  it('reads no deeper than a pointer can reach, and no further than its bound', () => {
    const deep = JSON.parse(`${'['.repeat(10_000)}1${']'.repeat(10_000)}`) as unknown;
    expect([...leavesOf(deep)]).toEqual([]);
    expect([...leavesOf(Array.from({ length: 100_000 }, (_, i) => i))].length).toBeLessThan(20_001);
  });
});

describe('pointersWhere', () => {
  it('names a few places at most', () => {
    const many = { rows: Array.from({ length: 100 }, () => 7) };
    expect(pointersWhere(many, (value) => value === 7)).toHaveLength(CANDIDATES_MAX);
  });

  it('leaves out places that no violation could name', () => {
    expect(pointersWhere({ ['x'.repeat(400)]: 7 }, (value) => value === 7)).toEqual([]);
  });
});

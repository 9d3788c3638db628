import { canonicalJson, type Json } from '@inquest/contracts/canonical-json';
import fc from 'fast-check';
import { fitOrdered } from './fit-ordered';

const bytesOf = (value: Json): number => Buffer.byteLength(canonicalJson(value), 'utf8');
const json = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }) as fc.Arbitrary<Json>;

describe('a value that is made to fit', () => {
  it('never exceeds the room, and is whole where it fits', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 3_000 }), (value, room) => {
        const fitted = fitOrdered(value, room);
        if (fitted !== null) expect(bytesOf(fitted.value)).toBeLessThanOrEqual(room);
        if (bytesOf(value) <= room) expect(fitted).toEqual({ value, cuts: 0 });
        else if (fitted !== null) expect(fitted.cuts).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('says how many items and members are missing', () => {
    const items = Array.from({ length: 100 }, (_, at) => `item ${at}`);
    const fitted = fitOrdered({ items, last: 'x' }, 400)?.value as { items: string[]; last: string };
    const kept = fitted.items.slice(0, -1);
    expect(kept).toEqual(items.slice(0, kept.length));
    expect(fitted.items.at(-1)).toBe(`[TRUNCATED ${100 - kept.length} items]`);
    expect(fitted.last).toBe('x');
  });

  it('keeps what stands first, whatever its alphabetical place', () => {
    const value = { zone: 'first', about: 'b'.repeat(5_000), next: 'n'.repeat(5_000) };
    const fitted = fitOrdered(value, 1_000)?.value as Record<string, string>;
    expect(fitted['zone']).toBe('first');
    const [about, next] = [fitted['about']?.length ?? 0, fitted['next']?.length ?? 0];
    expect(about).toBeGreaterThan(next);
    expect(next).toBeGreaterThan(100);
  });

  it('drops a member without room for it and still shows a smaller one behind', () => {
    const fitted = fitOrdered({ a: { b: { c: 'x'.repeat(900) } }, n: 1 }, 90)?.value;
    expect(fitted).toMatchObject({ n: 1 });
  });

  it('takes its time for a large value as well', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ name: `n${at}`, text: 'y'.repeat(100) }));
    expect(bytesOf(fitOrdered({ rows }, 32_000)?.value ?? null)).toBeLessThanOrEqual(32_000);
  });
});

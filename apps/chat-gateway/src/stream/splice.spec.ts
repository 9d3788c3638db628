import fc from 'fast-check';
import type { ChainEntry } from '@inquest/run-view/fold-run';
import { Splice } from './splice';

const entry = (seq: number): ChainEntry => ({
  seq,
  decision: {
    n: seq,
    prevSeq: seq - 1,
    took: [],
    at: '2024-05-01T00:00:00Z',
    events: [{ type: 'OutcomeSealed', outcome: { kind: 'FAILED', reason: 'POISONED' } }],
  },
});

describe('The splice of a read chain and its live tail', () => {
  it('gives every entry once and in order, whenever the reading happened and wherever the client was', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), fc.nat(20), fc.nat(20), (length, followedAt, readAt, after) => {
        const chain = Array.from({ length }, (_, i) => entry(i + 1));
        // Followed before it was read: the live part begins no later than the read one ends.
        const from = Math.min(followedAt, readAt, length);
        const read = Math.min(Math.max(followedAt, readAt), length);
        const seen: number[] = [];
        const splice = new Splice(after, ({ seq }) => seen.push(seq));
        for (const early of chain.slice(from, read)) splice.live(early);
        splice.read(chain.slice(0, read));
        for (const late of chain.slice(read)) splice.live(late);
        expect(seen).toEqual(chain.map(({ seq }) => seq).filter((seq) => seq > after));
      }),
    );
  });
});

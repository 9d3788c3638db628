import { basePulls, sharePulls, slotsFor, type QueueLoad } from './share-pulls';

const idle: QueueLoad = { outstanding: 0, backlog: 0 };

describe('Sharing slots among queues', () => {
  it('keeps one pull open on every queue', () => {
    expect(sharePulls([idle, idle, idle], 10, 1)).toEqual([
      { queue: 0, batch: 1, extra: false },
      { queue: 1, batch: 1, extra: false },
      { queue: 2, batch: 1, extra: false },
    ]);
  });

  it('asks for nothing when the open pulls suffice', () => {
    expect(sharePulls([{ outstanding: 1, backlog: 0 }], 10, 1)).toEqual([]);
  });

  it('gives the rest to the queue that has more, a part at a time', () => {
    expect(sharePulls([{ outstanding: 1, backlog: 25 }, idle], 11, 1)).toEqual([
      { queue: 1, batch: 1, extra: false },
      { queue: 0, batch: 4, extra: true },
    ]);
  });

  it('never asks for more than is free', () => {
    for (let free = 0; free < 20; free++) {
      const pulls = sharePulls(
        [{ outstanding: 0, backlog: 50 }, idle, { outstanding: 0, backlog: 7 }],
        free,
        2,
      );
      expect(pulls.reduce((sum, { batch }) => sum + batch, 0)).toBeLessThanOrEqual(free);
    }
  });

  it('serves another queue first each turn when there is not enough for all', () => {
    expect(sharePulls([idle, idle], 1, 1, 0)[0]?.queue).toBe(0);
    expect(sharePulls([idle, idle], 1, 1, 1)[0]?.queue).toBe(1);
  });

  it.each([
    [1, 12, 13],
    [64, 12, 64],
  ])('of %i wished slots over %i queues makes %i, so that none is reserved away', (wished, queues, slots) => {
    expect(slotsFor(wished, queues)).toBe(slots);
    expect(basePulls(slotsFor(wished, queues), queues) * queues).toBeLessThan(slotsFor(wished, queues));
  });
});

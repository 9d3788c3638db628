import { judgeConsumer, type Sight } from './watchdog';

const sight = (more: Partial<Sight> = {}): Sight => ({
  pending: 0,
  waiting: 1,
  deliveredSeq: 10,
  floorSeq: 10,
  full: false,
  created: '2026-01-01T00:00:00Z',
  ...more,
});

describe('The watchdog', () => {
  it.each<[string, Sight | undefined, Sight, number, string]>([
    ['an idle consumer is fine', sight(), sight(), 1, 'fine'],
    ['a first look proves nothing', undefined, sight({ pending: 5 }), 1, 'fine'],
    [
      'messages, pulls and no delivery: it stands still',
      sight({ pending: 5 }),
      sight({ pending: 6 }),
      1,
      'recreate',
    ],
    [
      'a delivery in between: it works',
      sight({ pending: 5 }),
      sight({ pending: 5, deliveredSeq: 11 }),
      1,
      'fine',
    ],
    ['messages that came just now are no proof', sight(), sight({ pending: 5 }), 1, 'fine'],
    [
      'nobody asks for messages: nothing to deliver to',
      sight({ pending: 5 }),
      sight({ pending: 5, waiting: 0 }),
      0,
      'fine',
    ],
    [
      'full of unacknowledged messages: it may not deliver',
      sight({ pending: 5 }),
      sight({ pending: 5, full: true }),
      1,
      'fine',
    ],
    [
      'replaced in between: look again',
      sight({ pending: 5 }),
      sight({ pending: 5, created: 'later' }),
      1,
      'fine',
    ],
    [
      'our pulls are unknown there, twice: ask again',
      sight({ waiting: 0 }),
      sight({ waiting: 0 }),
      3,
      'pull-again',
    ],
    ['a pull may just have been answered', sight(), sight({ waiting: 0 }), 3, 'fine'],
  ])('%s', (_, before, now, outstanding, verdict) => {
    expect(judgeConsumer(before, now, outstanding)).toBe(verdict);
  });
});

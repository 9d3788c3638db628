import { eventIdOf, parseEventId } from './event-id';

describe('event id', () => {
  it('is a position in the log, there and back', () => {
    expect(parseEventId(eventIdOf({ partition: 3, seq: 1234567 }))).toEqual({ partition: 3, seq: 1234567 });
  });
  it.each(['', '3', '3-', '-7', '3-x', '3-7-1', ' 3-7', '3-1e9', '3-1234567890123456'])(
    'is not "%s"',
    (text) => {
      expect(parseEventId(text)).toBeUndefined();
    },
  );
});

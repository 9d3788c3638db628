import { ProblemError } from '../http/problem-error';
import { cursorOf, placeOf } from './list-cursor';
import { randomRunId } from './run-id';

describe('The cursor of a list', () => {
  it('keeps a place to the microsecond', () => {
    const place = { requestedAt: '2024-05-01T10:00:00.000123Z', runId: randomRunId() };
    expect(placeOf(cursorOf(place))).toEqual(place);
  });
  it.each([
    '',
    'abc',
    cursorOf({ requestedAt: 'now', runId: randomRunId() }),
    cursorOf({ requestedAt: '2024-05-01T10:00:00Z', runId: "' or 1=1" }),
  ])('is refused: %s', (cursor) => expect(() => placeOf(cursor)).toThrow(ProblemError));
});

import { restartDelayMs } from './restart-delay';

describe('the delay before a restart', () => {
  it('doubles with each death in a row and never exceeds ten seconds', () => {
    expect([1, 2, 3, 4].map(restartDelayMs)).toEqual([100, 200, 400, 800]);
    expect([8, 50, 5_000].map(restartDelayMs)).toEqual([10_000, 10_000, 10_000]);
  });
});

import { cancelStands } from './cancel-run';

describe('H8 a cancellation', () => {
  it.each([
    ['of a run that goes on', 7, null, null, true],
    ['before the seal', 7, 8, null, true],
    ['behind the seal', 9, 8, null, false],
    ['before the seal of a run that has ended', 7, 8, 10, true],
    ['between seal and end', 9, 8, 10, false],
    ['before an end without a seal', 7, null, 10, true],
    ['behind an end without a seal', 11, null, 10, false],
  ])('%s: at %i, sealed at %p, ended at %p, stands: %p', (_, at, sealedSeq, terminalSeq, stands) => {
    expect(cancelStands(at, { sealedSeq, terminalSeq })).toBe(stands);
  });
});

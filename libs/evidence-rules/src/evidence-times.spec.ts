import fc from 'fast-check';
import { takeClockTimes, type ClockTime } from './clock-times';
import { evidenceTimes } from './evidence-times';

/** What the times say, each once: a form may be read in two ways. */
const said = (times: readonly ClockTime[]): string[] =>
  [...new Set(times.map(({ raw: _, ...time }) => JSON.stringify(time)))].sort();

const slowly = (text: string): ClockTime[] => {
  const times: ClockTime[] = [];
  takeClockTimes(text, (time) => times.push(time));
  return times;
};

describe('the times of a text of the ledger', () => {
  it.each([
    ['an instant', 'at 2026-03-02T10:14:05Z'],
    ['an instant with a fraction and an offset', 'at 2026-03-02 10:14:05.123456+02:00 it'],
    ['an instant without an offset', '2026-03-02 10:14:05 CST'],
    ['a mail date', 'Sat, 29 Nov 2025 20:49:26 +0800'],
    ['a mail date without an offset', '10 Jan 2026 09:20:47.071 * loaded'],
    ['a time', 'it began at 10:14, and ended at 10:15:59.'],
    ['a time with an offset', 'from 10:14Z to 10:15+01:00'],
    ['twelve hours', 'at 2:05 pm and at 12:30 a.m.'],
    ['forms without a colon', '14点05分, 9 am, 14 Uhr 30'],
    ['the middle of an address', 'fe80::1:10:20 or 52:54:00:12:34:56 or 1:10:20:30'],
    ['a ratio', 'a share of 3:1'],
    ['a port', '10.0.0.7:80 and [::1]:8080'],
  ])('are those of prose: %s', (_, text) => {
    expect(said(evidenceTimes(text))).toEqual(said(slowly(text)));
  });

  it('are found at any place in any day', () => {
    const instant = fc.date({
      min: new Date('2001-09-10'),
      max: new Date('2090-01-01'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 6 }), (dates) => {
        const text = JSON.stringify(dates.map((date) => ({ time: date.toISOString(), n: 1 })));
        const seconds = dates.map((date) => Math.floor(date.getTime() / 1000));
        expect(evidenceTimes(text).map(({ epochMs }) => (epochMs ?? 0) / 1000)).toEqual(seconds);
      }),
    );
  });

  it('are never the reason to throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(() => evidenceTimes(`${text}10:10${text}`)).not.toThrow();
      }),
    );
  });
});

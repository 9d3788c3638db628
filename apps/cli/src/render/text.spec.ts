import { hang, idRanges, printable, seconds, table, widthOf, wrap } from './text';

describe('text for terminals', () => {
  it('counts columns, not characters: colours take none, East Asian characters two, combining marks none', () => {
    expect(widthOf('\u001b[31mred\u001b[39m')).toBe(3);
    expect(widthOf('诊断')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
  });

  it('wraps at blanks and never exceeds the width', () => {
    expect(wrap('the pool is exhausted by a leak', 12)).toEqual(['the pool is', 'exhausted by', 'a leak']);
    expect(wrap('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
    expect(wrap('没有经过验证的诊断', 10).every((line) => widthOf(line) <= 10)).toBe(true);
    expect(wrap('', 10)).toEqual(['']);
  });

  it('hangs a paragraph below its first word', () => {
    expect(hang('a1  ', 'one two three four five six seven', 24)).toEqual([
      'a1  one two three four',
      '    five six seven',
    ]);
  });

  it('pads columns to their widest cell, colours not counted', () => {
    expect(
      table([
        ['a', 'x'],
        ['\u001b[1mbbb\u001b[22m', 'y'],
      ]),
    ).toEqual(['a    x', '\u001b[1mbbb\u001b[22m  y']);
  });

  it('lets no text of others steer the terminal', () => {
    expect(printable('a\u001b[2Jb\u0007\u202ec')).toBe('a\ufffd[2Jb\ufffd\ufffdc');
    expect(printable('one\r\ntwo')).toBe('one two');
  });

  it('writes neighbouring ids as a range from three on', () => {
    expect(idRanges(['a1', 'a2', 'a3', 'a7', 'a8', 'p9', 'p10', 'p11'])).toBe('a1-a3, a7, a8, p9-p11');
    expect(idRanges([])).toBe('');
  });

  it('shows durations with one decimal while that matters', () => {
    expect([0, 940, 9_900, 61_400].map(seconds)).toEqual(['0.0 s', '0.9 s', '9.9 s', '61 s']);
  });
});

import { createRedactor } from '@inquest/redaction/redactor';
import type { LogLine } from './incident-format';
import { logPatterns } from './log-patterns';
import { shownLines } from './shown-lines';

const line = (message: string): LogLine => ({
  time: '2026-03-04T10:00:00Z',
  service: 'checkout',
  level: 'ERROR',
  message,
});
const TOKEN = `gh${'p_'}${'a1B2'.repeat(9)}`;
const redactor = createRedactor('run');

describe('lines as anybody may see them', () => {
  it('leave no part of a token in a pattern or an example', () => {
    const long = `${'x'.repeat(290)} ${TOKEN} was used`;
    const { patterns } = logPatterns(shownLines([line(`push by ${TOKEN}`), line(long)], undefined, redactor));
    const text = JSON.stringify(patterns);
    expect(text).not.toMatch(/gh.?p_|a#B#|a1B2/);
    expect(text).toContain('[REDACTED:github-token:');
  });

  it('are found by what is shown of them only: nobody learns a secret letter by letter', () => {
    const lines = [line('login with password=hunter22 failed')];
    expect(shownLines(lines, 'password=h', redactor)).toEqual([]);
    expect(shownLines(lines, 'hunter', redactor)).toEqual([]);
    expect(shownLines(lines, 'LOGIN with', redactor)).toHaveLength(1);
  });

  it('are the very same objects where there is nothing to hide', () => {
    const lines = [line('upstream answered 502')];
    expect(shownLines(lines, '502', redactor)[0]).toBe(lines[0]);
    expect(shownLines(lines, undefined, redactor)[0]).toBe(lines[0]);
  });
});

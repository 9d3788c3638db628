import fc from 'fast-check';
import { LOG_LEVELS } from './incident-format';
import { levelOfLine, levelOfWord } from './log-level';

describe('the level of a line', () => {
  it.each([
    ['{"time":"x","level":"error","msg":"no"}', 'ERROR'],
    ['ts=2026 level=warn msg="slow"', 'WARN'],
    ['severity: CRITICAL disk', 'FATAL'],
    ['E0501 10:00:00.000000       1 reflector.go:138] failed', 'ERROR'],
    ['I0501 10:00:00.000000       1 main.go:1] error is only a word here', 'INFO'],
    ['2026-05-01 10:00:00,1 ERROR [main] com.example.Shop', 'ERROR'],
    ['2026/05/01 10:00:00 [warn] 7#7: upstream', 'WARN'],
    ['<panic> all', 'FATAL'],
    ['GET /errors 200', 'INFO'],
    ['the request had no error', 'INFO'],
    ['', 'INFO'],
  ])('%s is %s', (line, level) => {
    expect(levelOfLine(line)).toBe(level);
  });

  it('is one of the known ones, whatever the line, and takes no time for a long one', () => {
    fc.assert(fc.property(fc.string(), (line) => LOG_LEVELS.includes(levelOfLine(line))));
    expect(levelOfLine(`${'level: '.repeat(200_000)}`)).toBe('INFO');
  });

  it('of a word that names a member of every object is none', () => {
    expect(levelOfWord('constructor')).toBeUndefined();
    expect(levelOfWord('__proto__')).toBeUndefined();
  });
});

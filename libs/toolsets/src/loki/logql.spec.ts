import fc from 'fast-check';
import { LOG_LEVELS } from '../incident-format';
import { levelOfLine } from '../log-level';
import { parseLogQl, re2 } from '../../test/parse-logql';
import { literal, logQlOf, quoted } from './logql';

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '`',
      '{',
      '}',
      '|',
      '=',
      '~',
      '\n',
      '(',
      '?',
      'a',
      '\u2028',
      '\ud800',
      '\0',
    ),
    maxLength: 30,
  }),
  fc.constantFrom(
    '"} | line_format "{{.x}}',
    '"} or {a="',
    '\\',
    '\\"',
    '(?i)',
    '.*',
    '`} |= `',
    '\n} | json',
  ),
);
const label = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,20}$/);

describe('a query is built of values, and no value can become a part of the language', () => {
  it('whatever the values are, the query has the parts that were asked for and no other', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          label,
          hostile.filter((text) => text !== ''),
          { minKeys: 1, maxKeys: 4, noNullPrototype: true },
        ),
        fc.array(hostile, { maxLength: 3 }),
        fc.array(hostile, { maxLength: 3 }),
        (equal, contains, without) => {
          const { matchers, lines, labels } = parseLogQl(logQlOf({ equal, contains, without }));
          expect(matchers).toEqual(
            Object.entries(equal).map(([name, value]) => ({
              label: name,
              op: '=',
              value: value.toWellFormed(),
            })),
          );
          expect(labels).toEqual([]);
          expect(lines.map(({ op }) => op)).toEqual([
            ...contains.map(() => '|~'),
            ...without.map(() => '!~'),
          ]);
          lines.forEach(({ text }, at) =>
            expect(text).toBe(`(?i)${literal([...contains, ...without][at] ?? '').toWellFormed()}`),
          );
        },
      ),
    );
  });

  it('a text finds itself, in any case, and no other text of its length', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 30 }), (text) => {
        const pattern = re2(`(?i)${literal(text)}`, true);
        expect(pattern.test(text)).toBe(true);
        expect(pattern.test(`${text}x`)).toBe(false);
      }),
    );
    expect(re2(literal('a.b')).test('axb')).toBe(false);
  });

  it('a name of a label is checked even where a schema let it through', () => {
    expect(() => logQlOf({ equal: { 'a="b"} or {c': 'x' } })).toThrow('label');
  });

  it('is written as one would write it', () => {
    expect(
      logQlOf({
        equal: { namespace: 'shop' },
        contains: ['GET /x?'],
        without: ['health'],
        level: { least: 'ERROR', label: 'level' },
      }),
    ).toBe(
      String.raw`{namespace="shop"} |~ "(?i)GET /x\\?" !~ "(?i)health" | level=~"(?i)(?:error|err|severe|fatal|critical|crit|panic|alert|emerg|emergency)"`,
    );
    expect(logQlOf({ equal: {}, anyOf: ['app'] })).toBe('{app=~".+"}');
    expect(quoted('a"b\\c\n')).toBe(String.raw`"a\"b\\c\n"`);
  });
});

describe('a level that no label holds', () => {
  const filterOf = (least: (typeof LOG_LEVELS)[number]) =>
    parseLogQl(logQlOf({ equal: { a: 'b' }, level: { least, label: undefined } })).lines;

  it('is asked of the server so that no line of that level is lost', () => {
    const word = fc.constantFrom(
      'error',
      'ERROR',
      'level=warn',
      '"level":"fatal"',
      '[panic]',
      'E0501 10:00:00 x',
      'F1231 23:59:59 y',
      'crit',
      'a',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 5 }),
        fc.constantFrom('WARN' as const, 'ERROR' as const, 'FATAL' as const),
        (words, least) => {
          const line = words.join(' ');
          const isOfLevel = LOG_LEVELS.indexOf(levelOfLine(line)) >= LOG_LEVELS.indexOf(least);
          if (isOfLevel) expect(filterOf(least).every(({ text }) => re2(text).test(line))).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(['DEBUG', 'INFO'] as const)(
    '%s is not asked of the server, since a line without a level is INFO',
    (least) => {
      expect(filterOf(least)).toEqual([]);
    },
  );
});

import fc from 'fast-check';
import { lockRoots } from './lock-tree';
import { withoutLiterals } from './without-literals';
import { PostgresConfig } from './config';

describe('who holds everybody up', () => {
  it.each([
    ['nobody', [{ pid: 1, blockedBy: [] }], []],
    [
      'one',
      [
        { pid: 1, blockedBy: [] },
        { pid: 2, blockedBy: [1] },
      ],
      [{ pid: 1, waiters: [2] }],
    ],
    [
      'a chain',
      [
        { pid: 1, blockedBy: [] },
        { pid: 2, blockedBy: [1] },
        { pid: 3, blockedBy: [2, 1] },
      ],
      [{ pid: 1, waiters: [2, 3] }],
    ],
    [
      'two piles, the larger one first',
      [
        { pid: 2, blockedBy: [1] },
        { pid: 8, blockedBy: [7] },
        { pid: 9, blockedBy: [7] },
      ],
      [
        { pid: 7, waiters: [8, 9] },
        { pid: 1, waiters: [2] },
      ],
    ],
    [
      'a ring',
      [
        { pid: 1, blockedBy: [2] },
        { pid: 2, blockedBy: [1] },
      ],
      [{ pid: 1, waiters: [2] }],
    ],
  ])('%s', (_, sessions, roots) => expect(lockRoots(sessions)).toEqual(roots));

  it('covers every session that waits, whatever waits for whom', () => {
    const pid = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ pid, blockedBy: fc.array(pid, { maxLength: 3 }) }), {
          selector: (s) => s.pid,
        }),
        (sessions) => {
          const roots = lockRoots(sessions);
          const covered = new Set(roots.flatMap(({ pid: root, waiters }) => [root, ...waiters]));
          for (const { pid: own, blockedBy } of sessions)
            if (blockedBy.some((blocker) => blocker !== own)) expect(covered).toContain(own);
        },
      ),
    );
  });
});

describe('a statement without its values', () => {
  it.each([
    ["select * from t where a = 'O''Brien' and b = 12.5", 'select * from t where a = ? and b = ?'],
    ["insert into t values (E'a\\'b', $$body $1$$, $q$x$q$, $1)", 'insert into t values (?, ?, ?, $1)'],
    ['select "col 1", t1.x from t1 -- secret', 'select "col 1", t1.x from t1  '],
    ["select /* it's */ 1e5", 'select   ?'],
    ["select 'unfinished", 'select ?'],
  ])('%s', (sql, plain) => expect(withoutLiterals(sql)).toBe(plain));

  it('never shows a text, whatever surrounds it', () => {
    const text = fc.string().map((value) => value.replace(/['\\]/g, ''));
    fc.assert(
      fc.property(text, (value) => {
        expect(withoutLiterals(`select 'SECRET${value}' , x`)).not.toContain('SECRET');
      }),
    );
  });
});

describe('the configuration of a database', () => {
  const base = { host: 'db.example', database: 'orders', user: 'inquest' };
  it.each([
    [base, 'verify-full'],
    [{ ...base, host: '127.0.0.1' }, 'disable'],
    [{ ...base, tls: 'require' }, 'require'],
  ])('%j is asked with %s', (config, tls) => expect(PostgresConfig.parse(config).tls).toBe(tls));

  it.each([
    { ...base, tls: 'disable' },
    { ...base, password: 'in place' },
    { ...base, sql: 'select 1' },
  ])('%j is refused', (config) => expect(PostgresConfig.safeParse(config).success).toBe(false));
});

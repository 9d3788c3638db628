import { meantOf, sourceFlags } from './meant-source';

const SHIPPED = { pool: '/shipped/pool', quiet: '/shipped/quiet' };

describe('a question that names no source', () => {
  it.each([
    ['the only source at all', { pool: '/shipped/pool' }, 'pool'],
    ['the only one beside the shipped', { ...SHIPPED, mine: '/home/mine' }, 'mine'],
    ['an own one of a shipped name', { ...SHIPPED, 'pool-2': '/home/pool' }, 'pool-2'],
    ['an own one in place of the shipped', { pool: '/home/pool', quiet: '/shipped/quiet' }, 'pool'],
  ])('means %s', (_, registered, name) => {
    expect(meantOf(registered, SHIPPED)).toEqual({ kind: 'ONE', name });
  });

  it.each([
    ['only shipped ones', SHIPPED, []],
    ['several own ones', { ...SHIPPED, a: '/home/a', b: '/home/b' }, ['a', 'b']],
    ['none at all', {}, []],
  ])('is not guessed at between %s', (_, registered, own) => {
    expect(meantOf(registered, SHIPPED)).toEqual({ kind: 'SEVERAL', names: Object.keys(registered), own });
  });

  it('is told how to name one', () => {
    expect(sourceFlags(['a', 'b'])).toBe('--source a or --source b');
    expect(sourceFlags([])).toBe('--incident DIR');
  });
});

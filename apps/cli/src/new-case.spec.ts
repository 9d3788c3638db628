import { NewCase } from '@inquest/contracts/new-case';
import type { OptionValues } from './command';
import { caseExitCode } from './case-exit-code';
import { caseFrom } from './new-case';

const RUN = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162';

describe('a case as typed', () => {
  it.each<[string | undefined, OptionValues, object]>([
    [' why? ', {}, { question: 'why?', source: 'shop' }],
    ['why?', { session: 's-1', locale: 'de' }, { sessionId: 's-1', locale: 'de' }],
    ['why?', { actions: '12', reviews: '0' }, { policy: { actionsTotalMax: 12, maxEarlyReviews: 0 } }],
    [
      'why?',
      { code: 'checkout=git@host:org/checkout.git#src/pool@v41, cart=host/cart' },
      {
        coordinates: [
          { service: 'checkout', repository: 'git@host:org/checkout.git', path: 'src/pool', ref: 'v41' },
          { service: 'cart', repository: 'host/cart', path: null, ref: null },
        ],
      },
    ],
    ['why?', { code: 'cart=host/cart#@v2' }, { coordinates: [{ path: null, ref: 'v2' }] }],
    [undefined, { 'from-run': RUN, zone: 'Europe/Berlin' }, { fromRun: RUN, zone: 'Europe/Berlin' }],
  ])('%j with %j fits the contract', (text, options, expected) => {
    const body = caseFrom(text, options, options['from-run'] === undefined ? 'shop' : undefined);
    expect(NewCase.parse(JSON.parse(JSON.stringify(body)))).toMatchObject(expected);
  });

  it.each<[string | undefined, OptionValues, RegExp]>([
    [undefined, {}, /a case needs a question/],
    ['  ', {}, /must not be empty/],
    ['why?', { 'from-run': RUN }, /--from-run takes question, source and session from the run/],
    [undefined, { 'from-run': RUN, session: 's' }, /--from-run takes/],
    [undefined, { 'from-run': 'xyz' }, /"xyz" is no run id/],
    ['why?', { code: 'checkout' }, /--code takes SERVICE=REPOSITORY/],
    ['why?', { code: 'checkout=' }, /--code takes SERVICE=REPOSITORY/],
    ['why?', { actions: 'many' }, /--actions takes 1 to 128/],
    ['why?', { reviews: '11' }, /--reviews takes 0 to 10/],
    ['why?', { from: '2026-05-04T09:00:00Z' }, /--from and --to belong together/],
  ])('%j with %j is refused before anything is started', (text, options, line) => {
    expect(() => caseFrom(text, options, undefined)).toThrow(line);
  });
});

describe('the exit code of a case', () => {
  it.each([
    ['DIAGNOSED', 0],
    ['INCONCLUSIVE', 3],
    ['FAILED', 4],
    ['CANCELLED', 5],
    ['BUILDING_DIAGNOSIS', 1],
  ] as const)('%s is %i', (status, code) => expect(caseExitCode(status)).toBe(code));
});

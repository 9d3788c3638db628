import { Callers } from './callers';

const callers = new Callers([
  { token: 'first-token-of-all', tenant: 'acme', subject: 'ada', scopes: ['ask'] },
  { token: 'second-token-of-all', tenant: 'globex', subject: 'eve', scopes: ['audit'] },
]);

describe('callers', () => {
  it('are known by their token', () => {
    expect(callers.byHeader('Bearer second-token-of-all')).toMatchObject({
      tenant: 'globex',
      subject: 'eve',
    });
    expect(callers.byHeader('bearer  first-token-of-all ')).toMatchObject({ tenant: 'acme' });
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'first-token-of-all',
    'Basic first-token-of-all',
    'Bearer first-token-of-al',
    'Bearer first-token-of-alll',
    'Bearer FIRST-TOKEN-OF-ALL',
    'Bearer first-token-of-all second-token-of-all',
    `Bearer ${'x'.repeat(600)}`,
  ])('are not known by %s', (header) => expect(callers.byHeader(header)).toBeUndefined());
});

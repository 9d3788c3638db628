import { parseEntrySubject, tenantFor } from './entry-subject';

describe('entry subject', () => {
  it('names publisher, key and kind', () => {
    expect(parseEntrySubject('entry.portal.q-1.request')).toEqual({
      publisher: 'portal',
      key: 'q-1',
      kind: 'request',
    });
    expect(parseEntrySubject('entry.portal.q-1.cancel')).toMatchObject({ kind: 'cancel' });
  });

  it.each([
    'entry.portal.q-1',
    'entry.portal.q-1.request.x',
    'entry.Portal.q-1.request',
    'entry.portal..request',
    'diag.portal.q-1.request',
    'entry.portal.q-1.drop',
  ])('is not %s', (subject) => expect(parseEntrySubject(subject)).toBeUndefined());
});

describe('tenant of a publisher', () => {
  const grants = [
    { publisher: 'one', tenants: ['acme'] },
    { publisher: 'two', tenants: ['acme', 'globex'] },
  ];

  it.each([
    ['one', undefined, { tenant: 'acme' }],
    ['one', 'acme', { tenant: 'acme' }],
    ['one', 'globex', { refused: 'forbidden' }],
    ['two', 'globex', { tenant: 'globex' }],
    ['two', undefined, { refused: 'bad-request' }],
    ['three', 'acme', { refused: 'forbidden' }],
  ])('%s asking for %s', (publisher, named, expected) => {
    expect(tenantFor(grants, publisher, named)).toMatchObject(expected);
  });
});

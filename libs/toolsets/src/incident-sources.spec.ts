import { incidentFolderSource } from './incident-folder-source';
import { IncidentSourcesInvalid, incidentSources, parseIncidentSources } from './incident-sources';

describe('configured sources', () => {
  it('are read from name=dir pairs', () => {
    expect(parseIncidentSources(' shop=/data/shop, bank=/data/a=b ')).toEqual([
      { name: 'shop', dir: '/data/shop' },
      { name: 'bank', dir: '/data/a=b' },
    ]);
    expect(parseIncidentSources('')).toEqual([]);
  });

  it.each(['shop', '=dir', 'Shop=/x', '../x=/y', 'a b=/x', 'shop=', 'shop=/a,shop=/b'])(
    'refuse %j with one clear line',
    (text) => {
      expect(() => parseIncidentSources(text)).toThrow(IncidentSourcesInvalid);
    },
  );

  it.each([
    '/data/shop',
    '../shop',
    'shop/../shop',
    'SHOP',
    'shop ',
    '',
    '__proto__',
    'constructor',
    'file:///data/shop',
    'shop\u0000',
  ])('are never found by %j: a request names a source, not a path', (name) => {
    expect(incidentSources([incidentFolderSource('shop', '/data/shop')]).find(name)).toBeUndefined();
  });
});

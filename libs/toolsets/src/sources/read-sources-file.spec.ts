import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSourcesFile, variablesOf } from './read-sources-file';
import { SecretMissing, SecretRef, readSecret } from './secret';

describe('the configuration of sources', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-sources-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const file = (text: string): string => {
    const path = join(dir, 'inquest.yaml');
    writeFileSync(path, text);
    return path;
  };

  it('is read, with folders meant from its own place', () => {
    const config = readSourcesFile(file('sources:\n  shop:\n    incident: {dir: recorded}\n'));
    expect(config).toEqual({
      sources: { shop: { lookbackHours: 24, incident: { dir: join(dir, 'recorded') } } },
    });
  });

  it.each([
    ['sources:\n  shop:\n    incdent: {dir: x}\n', /:3: sources\.shop has no member incdent/],
    ['sources:\n  shop:\n    incident: {dir: 7}\n', /:3: sources\.shop\.incident\.dir /],
    ['sources:\n  Shop:\n    incident: {dir: x}\n', /sources\.Shop/],
    ['sources:\n  shop: {}\n', /:2: sources\.shop has no connection$/],
    ['sources: [a\n', /:\d+: is not valid YAML/],
    ['sources: {}\nother: 1\n', /has no member other/],
    ['', /:1: the file /],
    ['a: &a [*a]\n', /has no member a/],
    ['sources: *nope\n', /:1: has an alias without its anchor/],
    [
      'a: &a [1, 1]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n',
      /too many aliases/,
    ],
    [
      'sources:\n  shop:\n    prometheus: {url: "http://p", bearerToken: s3cret}\n',
      /:3: sources\.shop\.prometheus\.bearerToken must be \{env: NAME\}/,
    ],
    [
      'sources:\n  shop:\n    loki: {url: "http://p", bearerToken: s3cret}\n',
      /:3: sources\.shop\.loki\.bearerToken must be \{env: NAME\}/,
    ],
    [
      'sources:\n  shop:\n    prometheus:\n      url: http://p\n      headers: {Authorization: Bearer s3cret}\n',
      /:5: sources\.shop\.prometheus\.headers\.Authorization must be \{env: NAME\}/,
    ],
    [
      'sources:\n  shop:\n    prometheus: {url: "http://me:s3cret@p"}\n',
      /:3: sources\.shop\.prometheus\.url must hold no user and password/,
    ],
    ['sources:\n  shop:\n    alertmanager: {url: "http://p/?x=s3cret"}\n', /url must end with its path/],
    [
      'sources:\n  shop:\n    prometheus: {url: "http://p", bearerToken: {env: A}, basicAuth: {user: u, password: {env: B}}}\n',
      /:3: sources\.shop\.prometheus has both bearerToken and basicAuth/,
    ],
    ['a: 1\na: 2\n', /is not valid YAML \(DUPLICATE_KEY\)/],
  ])('%j is refused with its place', (text, why) => {
    expect(() => readSourcesFile(file(text))).toThrow(why);
    expect(() => readSourcesFile(file(text))).toThrow(/^[^\n]*$/);
    expect(() => readSourcesFile(file(text))).not.toThrow(/s3cret/);
  });

  it('that is not there is told by its path', () => {
    expect(() => readSourcesFile(join(dir, 'none.yaml'))).toThrow(/none\.yaml: cannot be read \(ENOENT\)/);
  });

  it('names the variables that hold its secrets', () => {
    expect(
      variablesOf({ sources: { a: { x: { env: 'B' }, y: [{ env: 'A' }, { file: 'f' }] } } } as never),
    ).toEqual(['A', 'B']);
  });
});

describe('a secret', () => {
  it('stands elsewhere, never in the configuration', () => {
    expect(SecretRef.safeParse('hunter2').error?.issues[0]?.message).toMatch(/a secret is not written here/);
    expect(SecretRef.safeParse({ env: 'TOKEN', file: 'x' }).success).toBe(false);
    expect(readSecret({ env: 'TOKEN' }, { TOKEN: ' t \n' })).toBe('t');
  });

  it('that is missing or empty is told by its place', () => {
    expect(() => readSecret({ env: 'TOKEN' }, {})).toThrow(new SecretMissing('the variable TOKEN'));
    expect(() => readSecret({ file: '/no/such' }, {})).toThrow('the file /no/such holds no secret');
  });
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { callLease } from '@inquest/contracts/agent-facts';
import { CATALOGUE } from '@inquest/contracts/catalogue';
import {
  permissionsOf,
  publisherPermissions,
  SERVICE_USERS,
  type NatsPermissions,
} from '@inquest/event-log/permissions';

const PLATFORM = 'platform-gateway';
const PUBLISHER = 'portal';

type Row = { consumer: string; producer: string; specs: string[] };

const readme = readFileSync(join(__dirname, 'README.md'), 'utf8');
const rows: Row[] = [...readme.matchAll(/^\| ([a-z][a-z-]+) +\| ([a-z][a-z-]+) +\| [^|]+\|(.+)\|$/gm)]
  .filter(([, consumer]) => consumer !== 'consumer')
  .map(([, consumer = '', producer = '', specs = '']) => ({
    consumer,
    producer,
    specs: [...specs.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path),
  }));
const pairOf = ({ consumer, producer }: Pick<Row, 'consumer' | 'producer'>) => `${consumer} <- ${producer}`;

/** Whether a NATS pattern covers a subject. */
const covers = (pattern: string, subject: string): boolean => {
  const [wanted, given] = [pattern.split('.'), subject.split('.')];
  for (const [i, token] of wanted.entries()) {
    if (token === '>') return given.length > i;
    if (given[i] === undefined || (token !== '*' && token !== given[i])) return false;
  }
  return wanted.length === given.length;
};

/** A subject of the kind that a contract names. */
const sampleOf = (subject: string): string =>
  subject
    .replace('<p>', '0')
    .replace('<run>', '00000000-0000-8000-8000-000000000001')
    .replace('<step>', 't1-model0-a1')
    .replace('<publisher>', PUBLISHER)
    .replace('<n>', '1')
    .replace(/<[a-z]+>/g, 'x');

const FILTERED = /^\$JS\.API\.CONSUMER\.CREATE\.\*\.[^.]+\.(.+)$/;

/** The right of those who follow whole runs: any message of any stream. They use it on runs only. */
const EVERYTHING = '$JS.API.DIRECT.GET.*.>';

/** By subject, by a consumer with a filter, by a subscription, or as one who may read every run. */
const mayRead = ({ publish, subscribe }: NatsPermissions, subject: string): boolean =>
  subscribe.some((pattern) => !pattern.startsWith('_INBOX') && covers(pattern, subject)) ||
  publish.some((pattern) =>
    pattern === EVERYTHING
      ? subject.startsWith('diag.')
      : covers(pattern, `$JS.API.DIRECT.GET.DIAG_0.${subject}`) ||
        covers(FILTERED.exec(pattern)?.[1] ?? '', subject),
  );

const parties: [string, NatsPermissions][] = [
  ...SERVICE_USERS.filter((user) => user !== 'operator').map((user): [string, NatsPermissions] => [
    user,
    permissionsOf(user),
  ]),
  [PLATFORM, publisherPermissions(PUBLISHER)],
];

/** A lease is read by the very service that takes it. */
const facts = CATALOGUE.filter(({ type }) => type !== callLease.type);
const needed = new Set(
  facts.flatMap(({ subject, writers }) =>
    parties
      .filter(([, permissions]) => mayRead(permissions, sampleOf(subject)))
      .flatMap(([consumer]) =>
        writers
          .map((writer) => (writer === '<publisher>' ? PLATFORM : writer))
          .filter((producer) => producer !== consumer && producer !== 'operator')
          .map((producer) => pairOf({ consumer, producer })),
      ),
  ),
);

describe('the matrix of contracts', () => {
  it('knows each pair once', () => {
    const pairs = rows.map(pairOf);
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(pairs.length).toBeGreaterThan(20);
  });

  it.each([...needed].sort())('has a row for who may read whose facts: %s', (pair) => {
    expect(rows.map(pairOf)).toContain(pair);
  });

  it.each(rows.map((row) => [pairOf(row), row] as const))(
    'names specs that exist, one of which speaks of both: %s',
    (_, row) => {
      const paths = row.specs.map((spec) => join(__dirname, spec));
      expect(paths.filter((path) => !existsSync(path))).toEqual([]);
      const names = [row.consumer, row.producer].map((name) => new RegExp(`\\b${name}\\b`));
      const texts = paths.map((path) => readFileSync(path, 'utf8'));
      expect(texts.some((text) => names.every((name) => name.test(text)))).toBe(true);
    },
  );

  it('lists every contract spec that stands here', () => {
    const listed = new Set(rows.flatMap(({ specs }) => specs.map((spec) => basename(spec))));
    const here = readdirSync(__dirname).filter((file) => file.endsWith('.contract.spec.ts'));
    expect(here.filter((file) => !listed.has(file))).toEqual([]);
  });
});

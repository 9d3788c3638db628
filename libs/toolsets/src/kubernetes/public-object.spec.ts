import { createRedactor } from '@inquest/redaction/redactor';
import type { Json } from '@inquest/contracts/canonical-json';
import fc from 'fast-check';
import type { IncidentObject } from '../incident-format';
import { PROJECTION_BYTES_FLOOR, projectResult } from '../projection';
import type { JsonObject, RawResult } from '../tool';
import { HIDDEN_VALUE, publicObject } from './public-object';

const raw = (object: IncidentObject, events: Json[] = []): RawResult => ({
  kind: 'OBJECT',
  object: object as JsonObject,
  events,
  scope: {},
  window: null,
  dataSpan: null,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: true,
  suggestions: [],
  untrustedPaths: [],
});
const project = (object: IncidentObject, bytesMax: number, events: Json[] = []) =>
  projectResult('describe_object', raw(object, events), { bytesMax, redactor: createRedactor('projection') });

const text = fc.string({ maxLength: 80 });
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const container = fc.record({
  name: word,
  image: text,
  command: fc.array(text, { maxLength: 5 }),
  env: fc.array(fc.record({ name: word, value: text }), { maxLength: 60 }),
  resources: fc.dictionary(word, word, { noNullPrototype: true }),
});
const status = fc.record({
  phase: fc.constantFrom('Running', 'Pending', 'Failed'),
  conditions: fc.array(
    fc.record({
      type: fc.constantFrom('Ready', 'DiskPressure', 'Available'),
      status: fc.constantFrom('True', 'False'),
      message: text,
    }),
    { maxLength: 12 },
  ),
  containerStatuses: fc.array(fc.record({ name: word, ready: fc.boolean(), restartCount: fc.nat() }), {
    maxLength: 12,
  }),
});
const pod: fc.Arbitrary<IncidentObject> = fc
  .record({
    name: word,
    labels: fc.dictionary(word, text, { noNullPrototype: true }),
    annotations: fc.dictionary(text, fc.string({ maxLength: 4_000 }), { maxKeys: 20, noNullPrototype: true }),
    containers: fc.array(container, { maxLength: 12 }),
    extra: fc.jsonValue({ maxDepth: 6 }),
    status,
  })
  .map(({ name, labels, annotations, containers, extra, status: state }) => ({
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels, annotations },
    spec: { containers, extra },
    status: state,
  })) as fc.Arbitrary<IncidentObject>;

describe('the projection of an object', () => {
  it('never exceeds its budget, is one JSON document, and says when something was left out', () => {
    fc.assert(
      fc.property(
        pod,
        fc.integer({ min: 1, max: 40_000 }),
        fc.array(fc.record({ message: text }), { maxLength: 50 }),
        (object, budget, events) => {
          const { text: shown, truncated } = project(publicObject(object), budget, events);
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(Math.max(PROJECTION_BYTES_FLOOR, budget));
          const body = JSON.parse(shown) as Record<string, unknown>;
          expect(body).toMatchObject({ matched: 1, returned: 1, truncated });
          expect(truncated).toBe('omitted' in body);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('shows at a small budget what is wrong, though everything else has no room', () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      name: `side-${at}`,
      ready: true,
      restartCount: 0,
    }));
    const object: IncidentObject = {
      kind: 'Pod',
      metadata: {
        name: 'orders-1',
        namespace: 'shop',
        annotations: Object.fromEntries(many.map(({ name }) => [name, 'x'.repeat(900)])),
      },
      spec: { containers: many.map(({ name }) => ({ name, env: [{ name: 'A', value: 'b'.repeat(200) }] })) },
      status: {
        podIPs: [{ ip: '10.1.0.7' }],
        hostIP: '10.0.0.1',
        qosClass: 'Burstable',
        containerStatuses: [
          ...many,
          {
            name: 'orders',
            ready: false,
            restartCount: 9,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
        ],
        phase: 'Running',
      },
    };
    const shown = project(publicObject(object), 3_000);
    expect(shown.truncated).toBe(true);
    for (const part of ['CrashLoopBackOff', 'ContainersNotReady', 'Running', 'orders-1'])
      expect(shown.text).toContain(part);
    expect(project(object, 3_000).text).not.toContain('CrashLoopBackOff');
  });
});

describe('no secret of an object is shown', () => {
  const secretName = fc.constantFrom(
    'DB_PASSWORD',
    'apiToken',
    'aws.secret.access.key',
    'CLIENT_SECRET',
    'db-pass',
    'SIGNING_KEY',
  );
  const secret = fc.stringMatching(/^[a-z]{12}$/).map((word) => `${word}-amber-72`);
  const nested = (value: Json, depth: number): Json =>
    depth === 0 ? value : { inner: [nested(value, depth - 1)] };

  it('under a name that announces one, however deep it stands', () => {
    fc.assert(
      fc.property(secretName, secret, fc.nat(5), (name, value, depth) => {
        const holder = nested(
          {
            env: [
              { name, value },
              { name: 'PLAIN', value: 'yes' },
            ],
          },
          depth,
        );
        const object = publicObject({ kind: 'Widget', metadata: { name: 'w' }, spec: holder });
        expect(JSON.stringify(object)).not.toContain(value);
        expect(JSON.stringify(object)).toContain(HIDDEN_VALUE);
        expect(JSON.stringify(object)).toContain('"yes"');
      }),
    );
  });

  it('not the data of a Secret that another object holds, and not what was last applied', () => {
    fc.assert(
      fc.property(secret, fc.nat(4), (value, depth) => {
        const inner = {
          kind: 'Secret',
          metadata: { name: 's' },
          data: { a: value },
          stringData: { b: value },
        };
        const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': value };
        const object = publicObject({
          kind: 'List',
          metadata: { name: 'l', annotations },
          spec: nested(inner, depth),
        });
        expect(JSON.stringify(object)).not.toContain(value);
      }),
    );
  });

  it.each([
    ['a key by its looks', 'Zk29fQm4xYtW81bNcVqP70Ld', true],
    ['a digest', '9f86d081884c7d659a2feaa0c55ad015', true],
    ['a host', 'orders-db-0.orders-db.shop.svc.cluster.local', false],
    ['an address', 'redis-cart:6379', false],
    ['an image', 'registry.example.org/orders:v3', false],
    ['a reference', '$(OTHER)', false],
    ['a number', '30000', false],
  ])('%s in an environment', (_, value, isHidden) => {
    const shown = publicObject({
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', env: [{ name: 'SETTING', value }] }] },
    });
    expect(JSON.stringify(shown).includes(value)).toBe(!isHidden);
  });

  it('counts what was hidden', () => {
    const shown = publicObject({
      kind: 'Pod',
      metadata: { name: 'p', managedFields: [{}] } as IncidentObject['metadata'],
      spec: {
        containers: [
          {
            name: 'c',
            env: [
              { name: 'A_TOKEN', value: 'x1y2z3' },
              { name: 'B_TOKEN', value: 'x1y2z3' },
            ],
          },
        ],
      },
    });
    expect(shown).toMatchObject({
      hidden: [
        { what: 'metadata.managedFields', count: 1 },
        { what: 'values of env that look like secrets', count: 2 },
      ],
    });
  });
});

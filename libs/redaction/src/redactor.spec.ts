import type { Json } from '@inquest/contracts/canonical-json';
import fc from 'fast-check';
import { REDACTION_MARK, redactionMark } from './redaction-mark';
import { createRedactor } from './redactor';

// Links and their like are another matter, see defang.spec.ts.
const { redact, redactText } = createRedactor('run-1', { defang: false });

const JWT = `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U`;
const PRIVATE_KEY =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1\nq2w3e4r5\n-----END RSA PRIVATE KEY-----';

/** [what it is, text with the secret, the secret, class] */
const SECRETS: readonly (readonly [string, string, string, string])[] = [
  ['password in a URL', 'connecting to postgres://shop:harbour-42@db:5432/shop', 'harbour-42', 'password'],
  ['password with an at sign in a URL', 'amqp://bus:p@ss@broker/vhost', 'p@ss', 'password'],
  ['password without a user', 'redis://:s3cr3t@cache:6379/0', 's3cr3t', 'password'],
  [
    'token as user of a URL',
    'https://abcdefghij0123456789@git.example/x.git',
    'abcdefghij0123456789',
    'token',
  ],
  ['environment variable', 'DB_PASSWORD=hunter2', 'hunter2', 'password'],
  ['quoted environment variable', 'export API_KEY="a b c 1"', 'a b c 1', 'key'],
  ['YAML value', 'user: shop\npassword: correcthorse\nport: 1', 'correcthorse', 'password'],
  ['indented YAML value', 'env:\n  - clientSecret: abcdef\n', 'abcdef', 'secret'],
  ['JSON in a log line', 'body={"password":"x y z","id":7}', 'x y z', 'password'],
  ['escaped JSON in a log line', String.raw`body={\"apiKey\":\"k-123456\"}`, 'k-123456', 'key'],
  ['key of a connection string', 'Server=db;Uid=sa;Pwd=Passw0rd!;Encrypt=yes', 'Passw0rd!', 'password'],
  ['libpq connection string', 'host=db user=shop password=pw1 dbname=shop', 'pw1', 'password'],
  ['Azure account key', 'AccountName=x;AccountKey=Zm9vYmFy+/==', 'Zm9vYmFy+/==', 'key'],
  ['command line flag', 'mysqldump --password hunter22 shop', 'hunter22', 'secret'],
  ['SQL', "ALTER ROLE shop PASSWORD 'new pass'", 'new pass', 'password'],
  ['bearer header', 'Authorization: Bearer abc.def-123', 'abc.def-123', 'authorization'],
  ['basic header', 'authorization: Basic c2hvcDpzZWNyZXQ=', 'c2hvcDpzZWNyZXQ=', 'authorization'],
  ['bearer in prose', 'sent Bearer 0a1b2c3d4e5f6a7b upstream', '0a1b2c3d4e5f6a7b', 'token'],
  ['cookie header', 'Cookie: sid=abc123; theme=dark', 'sid=abc123; theme=dark', 'cookie'],
  ['JWT', `got ${JWT} from`, JWT, 'jwt'],
  ['AWS access key id', 'using AKIAIOSFODNN7EXAMPLE now', 'AKIAIOSFODNN7EXAMPLE', 'aws-key'],
  ['AWS secret', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'wJalrXUtnFEMI/K7MDENG', 'key'],
  ['GitHub token', `push with ghp_${'a1'.repeat(18)}`, `ghp_${'a1'.repeat(18)}`, 'github-token'],
  ['GitLab token', `glpat-${'x9'.repeat(10)} used`, `glpat-${'x9'.repeat(10)}`, 'gitlab-token'],
  ['Slack token', `xoxb-${'1234567890'}-abcdefXYZ`, `xoxb-${'1234567890'}-abcdefXYZ`, 'slack-token'],
  [
    'Slack webhook',
    `https://hooks.slack.com/services/T0001/B0001/${'Zz9'.repeat(8)}`,
    'Zz9'.repeat(8),
    'slack-webhook',
  ],
  ['Stripe key', `sk_live_${'4eC39H'.repeat(4)}`, `sk_live_${'4eC39H'.repeat(4)}`, 'stripe-key'],
  ['Google key', `AIza${'Sy0'.repeat(11)}xx`, `AIza${'Sy0'.repeat(11)}xx`, 'google-key'],
  ['model endpoint key', `sk-proj-${'a1B2'.repeat(8)}`, `sk-proj-${'a1B2'.repeat(8)}`, 'api-key'],
  ['npm token', `npm_${'aB3'.repeat(12)}`, `npm_${'aB3'.repeat(12)}`, 'npm-token'],
  ['NATS seed', `SU${'A2B7'.repeat(14)}`, `SU${'A2B7'.repeat(14)}`, 'nkey-seed'],
  ['private key', `key: ${PRIVATE_KEY} end`, PRIVATE_KEY, 'private-key'],
  ['private key cut short', PRIVATE_KEY.slice(0, 50), 'MIIEowIBAAKCAQEA1', 'private-key'],
  ['e-mail address', 'mail to jane.doe@example.org failed', 'jane.doe@example.org', 'email'],
];

const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  ['git commit', 'deployed 9fceb02d0ae598e95dc970b74767f19372d61af8'],
  [
    'image digest',
    'image registry.example/shop@sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
  ],
  ['pod name', 'checkout-7d9f8b6c5d-x2x9z restarted'],
  ['UUID', 'run 3f2504e0-4f89-81d3-9a0c-0305e82c3301'],
  ['trace id', 'traceparent 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ['parse error', 'SyntaxError: Unexpected token: } in JSON at position 17'],
  ['prose about a password', 'password: must be changed at the next login'],
  ['prose about a token', 'invalid token: signature does not match'],
  ['token budget', 'max_tokens=4096 prompt_tokens: 812'],
  ['Kubernetes secret reference', 'secretName: checkout-tls'],
  ['missing Kubernetes secret', 'MountVolume.SetUp failed: secret "checkout-db" not found'],
  ['variable reference', 'PASSWORD=${DB_PASSWORD} TOKEN=$(cat /run/token)'],
  ['working directory', 'PWD=/srv/shop'],
  ['state of a credential', 'token=expired password: required'],
  ['authentication failure', 'FATAL: password authentication failed for user "shop"'],
  ['bearer in prose', 'the Bearer authentication scheme is unsupported'],
  ['URL with a port', 'GET http://checkout:8080/orders?id=7 from user@10.0.0.1'],
  ['package with a version', 'installed pg@8.23.1'],
  ['git remote', 'git@github.com:shop/checkout.git'],
  ['lock wait of Postgres', 'process 812 still waiting for ShareLock on transaction 900 after 1000.123 ms'],
  ['pool error', 'timeout exceeded when trying to connect (pool size=10 open=10 idle=0 waiting=7)'],
];

describe('redaction of text', () => {
  it.each(SECRETS)('removes a %s', (_, text, secret, secretClass) => {
    const redacted = redactText(text);
    expect(redacted.text).not.toContain(secret);
    expect(redacted.text).toContain(`[REDACTED:${secretClass}:`);
    expect(redacted.count).toBeGreaterThan(0);
    expect(redacted.text.match(REDACTION_MARK)).toHaveLength(redacted.count);
  });

  it.each(LOOK_ALIKES)('leaves a %s alone', (_, text) => {
    expect(redactText(text)).toEqual({ text, count: 0 });
  });

  it('keeps what stands around a secret', () => {
    const { text } = redactText('connect postgres://shop:harbour-42@db:5432/shop failed');
    expect(text).toBe(
      `connect postgres://shop:${redactionMark('run-1', 'password', 'harbour-42')}@db:5432/shop failed`,
    );
  });

  it('changes nothing when it is applied again', () => {
    for (const [, text] of SECRETS) {
      const once = redactText(text).text;
      expect(redactText(once)).toEqual({ text: once, count: 0 });
    }
  });

  it('marks equal secrets equally within a run and differently in another run', () => {
    const [first, second] =
      redactText('password=abc123 and then PASSWORD=abc123').text.match(REDACTION_MARK) ?? [];
    expect(first).toBe(second);
    const elsewhere = createRedactor('run-2').redactText('password=abc123').text;
    expect(elsewhere).not.toContain(first);
  });

  it('tells how long a secret is by its class, and no closer', () => {
    const markOf = (secret: string) => redactText(`password=${secret}`).text.match(REDACTION_MARK)?.[0];
    const long = (chars: number) => 'x1'.repeat(chars / 2);
    const classes = [4, 8, 14, 16, 30, 32, 62, 64, 500].map((chars) =>
      markOf(long(chars))?.split(':').at(-1),
    );
    expect(classes).toEqual(['xs]', 's]', 's]', 'm]', 'm]', 'l]', 'l]', 'xl]', 'xl]']);
  });

  it('knows a mark of earlier facts, which tells no length', () => {
    const text = 'password=[REDACTED:password:ab12] and [REDACTED:token:00ff:m]';
    expect(redactText(text)).toEqual({ text, count: 0 });
  });

  it('never lets another text pass as a mark', () => {
    expect(redactText('password=[REDACTED:none] hunter22').count).toBe(0);
    expect(redactText('[REDACTED:x:ab12:s password=hunter22').text).not.toContain('hunter22');
  });
});

describe('personal data by policy', () => {
  const under = (policy: Parameters<typeof createRedactor>[1], text: string) =>
    createRedactor('k', { defang: false, ...policy }).redactText(text);

  it('keeps e-mail addresses where the policy says so', () => {
    const text = 'mail to jane.doe@example.org failed';
    expect(under({ emails: false }, text)).toEqual({ text, count: 0 });
    expect(under({}, text).count).toBe(1);
  });

  const ADDRESSES =
    'pods 10.1.2.3, 172.20.0.9 and fd00::7 on node 192.168.7.1; client 8.8.4.4:443, 2606:4700::1111; v1.2.3.4-rc, 10:14:33';

  it.each<['keep' | 'public' | 'all', number, string[]]>([
    ['keep', 0, ['10.1.2.3', '8.8.4.4']],
    ['public', 2, ['10.1.2.3', '172.20.0.9', 'fd00::7', '192.168.7.1', 'v1.2.3.4-rc', '10:14:33']],
    ['all', 6, ['v1.2.3.4-rc', '10:14:33', ':443']],
  ])('IP addresses: %s', (ipAddresses, count, kept) => {
    const redacted = under({ ipAddresses }, ADDRESSES);
    expect(redacted.count).toBe(count);
    for (const text of kept) expect(redacted.text).toContain(text);
    if (ipAddresses !== 'keep') expect(redacted.text).not.toMatch(/8\.8\.4\.4|2606/);
  });
});

describe('redaction of JSON', () => {
  const shown = (value: Json) => JSON.stringify(redact(value).value);

  it('hides values of sensitive names, in any spelling and any type', () => {
    const text = shown({
      dbPassword: 'abc',
      API_KEY: 'k',
      'client-secret': 's',
      accessToken: 12345,
      PGPASSWORD: 'p',
    });
    expect(text.match(REDACTION_MARK)).toHaveLength(5);
  });

  it('hides the values of a Kubernetes Secret and of name-value pairs', () => {
    const secret = redact({ kind: 'Secret', metadata: { name: 'db' }, data: { user: 'c2hvcA==', url: 'x' } });
    expect(secret.count).toBe(2);
    const env = redact([
      { name: 'DB_PASSWORD', value: 'pw' },
      { name: 'PORT', value: '80' },
    ]);
    expect(env.count).toBe(1);
    expect(JSON.stringify(env.value)).toContain('"80"');
  });

  it('hides the argument behind a flag', () => {
    expect(redact(['mysqldump', '--password', 'pw', 'shop']).count).toBe(1);
  });

  it('keeps structure, references, booleans and nulls under sensitive names', () => {
    const value: Json = {
      automountServiceAccountToken: false,
      token: null,
      secret: { secretName: 'checkout-tls', optional: true },
      imagePullSecrets: [{ name: 'regcred' }],
    };
    expect(redact(value)).toEqual({ value, count: 0 });
  });

  it('hides only the password of a connection URL in an environment', () => {
    const { value } = redact({ env: { DATABASE_URL: 'postgres://shop:harbour-42@127.0.0.1:5432/shop' } });
    expect(JSON.stringify(value)).toMatch(
      /postgres:\/\/shop:\[REDACTED:password:[0-9a-f]{4}:s\]@127\.0\.0\.1/,
    );
  });

  it('reads a document that was logged as text by its structure', () => {
    const line = '{"kind":"Secret", "data":{"user":"c2hvcDpzaG9w"}, "n": 1}';
    const { text, count } = redactText(line);
    expect([count, JSON.parse(text)]).toEqual([
      1,
      { kind: 'Secret', n: 1, data: { user: expect.stringMatching(/^\[REDACTED/) as string } },
    ]);
    const nested = JSON.stringify({ message: line });
    expect(redactText(nested).text).not.toContain('c2hvcDpzaG9w');
  });

  it('leaves a document without secrets as it was written, and one that is nested too deeply to its text', () => {
    const line = '{ "level": "info",  "n": 1.50 }';
    expect(redactText(line)).toEqual({ text: line, count: 0 });
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    for (const text of [deep, deep.slice(0, 40_000), '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)])
      expect(redactText(text)).toEqual({ text, count: 0 });
  });

  it('treats a member called __proto__ as data', () => {
    const hostile = JSON.parse('{"__proto__":{"password":"abc"}}') as Json;
    const { value } = redact(hostile);
    expect(JSON.stringify(value)).toContain('__proto__');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('never leaves a known secret anywhere in random structures', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...SECRETS), (around, [, text, secret]) => {
        const { value } = redact({ around: around as Json, nested: [text, { deeper: text }] });
        const { nested } = value as { nested: Json };
        expect(JSON.stringify(nested)).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: 100 },
    );
  });
});

describe('redaction of hostile text', () => {
  const SIZE = 200_000;
  const everything = createRedactor('k', { ipAddresses: 'all' });
  const filled = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length));

  it.each([
    'password=',
    'a',
    'eyJ-',
    'eyJa.eyJb.',
    '-----BEGIN PRIVATE KEY-----',
    'x://a:b',
    'http://a:',
    'bearer ',
    'Bearer 1',
    'a@b.',
    'a.a@a.',
    'token: "',
    "password '",
    'cookie: a=b',
    '--password ',
    'token: unexpected ',
    '\\"',
    ' \n',
    'sk-',
    'AKIA',
    'mysql -',
    'curl -u ',
    'a_',
    'a_key=',
    'password is ',
    '<password>',
    '密码:',
    'h:5432:a:b:',
    '$2b$10$',
    'https://',
    'a:b:',
    '1.2.3.',
    '](//',
    'token ',
  ])('takes linear time on 200 kB of %j', (unit) => {
    const text = filled(unit);
    const startedAt = performance.now();
    everything.redactText(text);
    // Quadratic behaviour would need minutes here; the bound leaves room for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

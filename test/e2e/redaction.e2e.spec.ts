import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { waitFor } from '@inquest/testing/wait-for';
import { HELD_OUT_SECRETS } from '../../libs/redaction/test/held-out-rows';
import { SECRET_ROWS } from '../../libs/redaction/test/secret-rows';
import { writeIncident } from './support/incidents';
import { rowOf } from './support/read-model';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

/** Long enough to be told from chance; those within JSON documents are another tier's matter (libs/redaction). */
const ROWS = [...SECRET_ROWS, ...HELD_OUT_SECRETS]
  .map(([, text, ...pieces]) => ({ text, secret: pieces.join('') }))
  .filter(({ text, secret }) => secret.length >= 10 && !text.includes('\n') && !/[\n"\\]/.test(secret));
const share = (from: number, to: number) => ROWS.slice(from, to);

const said = ({ text, secret }: (typeof ROWS)[number]): string => text.replace('§', () => secret);

const IN_LOGS = share(0, 120);
const IN_OBJECTS = share(20, 60);
const IN_ALERTS = share(60, 80);
const IN_RUNBOOK = share(80, 90);
const [IN_QUESTION] = share(90, 91);
const SECRETS = [...new Set(ROWS.slice(0, 120).map(({ secret }) => secret))];

const AT = '2026-03-04T10:10:00.000Z';
const line = (message: string) =>
  `${JSON.stringify({ time: AT, service: 'checkout', level: 'ERROR', message })}\n`;

let the: TheStack;
let runbooks: string;
beforeAll(async () => {
  const prepare = (scratch: string): Record<string, string> => {
    const annotations = Object.fromEntries(IN_OBJECTS.map((row, i) => [`note-${i}`, said(row)]));
    const env = IN_OBJECTS.map((row, i) => ({ name: `NOTE_${i}`, value: said(row) }));
    const metadata = { name: 'checkout-1', namespace: 'shop', labels: { app: 'checkout' }, annotations };
    return {
      leaky: writeIncident(scratch, 'leaky', {
        'logs.ndjson': IN_LOGS.map((row) => line(said(row))).join(''),
        'objects.json': [{ kind: 'Pod', metadata, spec: { containers: [{ name: 'a', env }] }, status: {} }],
        'alerts.json': IN_ALERTS.map((row, i) => ({
          ...{ name: `Leak${i}`, severity: 'page', service: 'checkout', startsAt: AT, labels: {} },
          summary: said(row),
        })),
      }),
    };
  };
  runbooks = mkdtempSync(join(tmpdir(), 'inquest-runbooks-'));
  const sections = IN_RUNBOOK.map((row, i) => `## Step ${i}\n\nCheckout upstream errors: ${said(row)}\n`);
  writeFileSync(
    join(runbooks, 'rb.md'),
    `---\nid: rb-leaky\ntitle: Checkout upstream errors\ntags: [checkout, upstream]\n---\n${sections.join('\n')}`,
  );
  the = await startTheStack({ incidents: prepare, env: { KNOWLEDGE_DIR: runbooks, LOG_LEVEL: 'debug' } });
});
afterAll(async () => {
  await the?.stop();
  rmSync(runbooks, { recursive: true, force: true });
});

/** Which of the secrets stand in these bytes, as they are or as JSON would write them. */
const foundIn = (bytes: Buffer | string): string[] =>
  SECRETS.filter((secret) => bytes.includes(secret) || bytes.includes(JSON.stringify(secret).slice(1, -1)));

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });

describe('no secret passes a border: not to a model, not to the judge, not into log or store', () => {
  const TURNS = [
    [
      { name: 'search_logs', arguments: { limit: 200 } },
      { name: 'search_logs', arguments: { contains: 'password', limit: 200 } },
      { name: 'active_alerts', arguments: {} },
      { name: 'list_objects', arguments: {} },
      { name: 'describe_object', arguments: { kind: 'Pod', name: 'checkout-1' } },
    ],
  ];

  beforeAll(async () => {
    const secretly = `Why does checkout fail? ${said(IN_QUESTION!)}`;
    the.play({ turns: TURNS });
    const diagnosis = await the.api.askAndEnd({ question: secretly, source: 'leaky' });
    expect(diagnosis).toMatchObject({ outcome: 'SUCCESS' });
    expect(diagnosis.question).toContain('[REDACTED:');
    the.play({ intent: 'KNOWLEDGE_QUERY' });
    const answer = await the.api.askAndEnd({ question: 'checkout upstream errors' });
    expect(answer.outcome).toBe('SUCCESS');
    await rowOf(the, diagnosis.runId);
    await rowOf(the, answer.runId);
  });

  it('there is enough to find', () => {
    expect(SECRETS.length).toBeGreaterThan(80);
  });

  it('what went to models held the marks and not the secrets', () => {
    const sent = JSON.stringify(the.model.requests.map(({ body }) => body));
    expect(sent.match(/\[REDACTED:/g)?.length).toBeGreaterThan(200);
    expect(foundIn(sent)).toEqual([]);
  });

  it('both the author and the judge were asked', () => {
    const keys = the.model.requests.map(({ key }) => key);
    expect(keys.some((key) => key.includes('-semantic0-'))).toBe(true);
    expect(keys.some((key) => key.includes('-model0-'))).toBe(true);
  });

  it('the read model holds none, in no column', async () => {
    const client = new Client({ connectionString: the.stack.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ table_name: string }>(
        "select table_name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { table_name: table } of rows) {
        const { rows: all } = await client.query<{ text: string }>(
          `select t::text as text from "${table}" t`,
        );
        expect(foundIn(all.map(({ text }) => text).join('\n'))).toEqual([]);
      }
    } finally {
      await client.end();
    }
  });

  it('no file of the broker, the database or a service’s log holds one', async () => {
    const dir = join(the.scratch, 'data');
    // JetStream writes what it has acknowledged within moments.
    await waitFor(
      'the facts on disk',
      () => filesBelow(dir).some((file) => readFileSync(file).includes('[REDACTED:')) || undefined,
    );
    const leaks = filesBelow(dir).flatMap((file) =>
      foundIn(readFileSync(file)).map((secret) => `${file}: ${secret}`),
    );
    expect(leaks).toEqual([]);
  });

  it('what an operator opens holds the marks', async () => {
    const list = JSON.parse((await the.api.send('GET', '/v1/runs')).text) as {
      runs: { runId: string; intent: string }[];
    };
    const run = list.runs.find(({ intent }) => intent === 'DIAGNOSIS');
    const entry = await the.api.evidence(run?.runId ?? '', 'call_1_0');
    expect(entry.redactedCount).toBeGreaterThan(50);
    expect(foundIn(JSON.stringify(entry))).toEqual([]);
  });
});

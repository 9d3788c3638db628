import { describeWithDebian } from '@inquest/testing/describe-with';
import { startPrometheus, type TestServer } from '@inquest/testing/prometheus-server';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { RunView } from '@inquest/contracts/run-view';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

const NOW = Math.floor(Date.now() / 60_000) * 60;
const START = NOW - 3 * 3_600;
/** Long enough ago for whole blocks, near enough for the look-back of the source. */
const series = Array.from({ length: 120 }, (_, i) => START - 3_600 + i * 30)
  .map((at) => `checkout_errors_ratio{service="checkout"} ${at > START - 600 ? 0.4 : 0.01} ${at}`)
  .join('\n');
const PAST = `# TYPE checkout_errors_ratio gauge\n${series}\n# EOF\n`;
const RULES = `groups:
- name: checkout
  rules:
  - alert: CheckoutErrors
    expr: vector(1) > 0
    labels: {service: checkout, severity: page}
    annotations: {summary: Checkouts fail}
`;
const PASSWORD = 'reads-only-0001';

describeWithDebian('prometheus', ['prometheus', 'promtool'])(
  'a source of live systems, over the whole stack',
  () => {
    let prometheus: TestServer;
    let postgres: TestPostgres;
    let blocker: Client;
    let dir: string;
    let the: TheStack;

    beforeAll(async () => {
      [prometheus, postgres] = await Promise.all([
        startPrometheus({ openMetrics: PAST, rules: RULES }),
        startTestPostgres(),
      ]);
      const { hostname, port, pathname } = new URL(postgres.superuserUrl);
      const database = pathname.slice(1);
      blocker = new Client({ connectionString: postgres.superuserUrl, application_name: 'billing' });
      blocker.on('error', () => undefined);
      await blocker.connect();
      await blocker.query(`create role inquest_diagnostics login password '${PASSWORD}'`);
      await blocker.query('grant pg_monitor to inquest_diagnostics');
      await blocker.query(`grant connect on database ${database} to inquest_diagnostics`);
      await blocker.query('begin');
      dir = mkdtempSync(join(tmpdir(), 'inquest-live-'));
      const file = join(dir, 'inquest.yaml');
      writeFileSync(
        file,
        `sources:
  prod:
    prometheus: {url: '${prometheus.url}'}
    postgres:
      orders: {host: ${hostname}, port: ${port}, database: ${database}, user: inquest_diagnostics, password: {env: ORDERS_PASSWORD}}
`,
      );
      the = await startTheStack({ env: { INQUEST_CONFIG: file, ORDERS_PASSWORD: PASSWORD } });
    });
    afterAll(async () => {
      await the?.stop();
      await blocker?.end().catch(() => undefined);
      await postgres?.stop();
      await prometheus?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    const asking = [
      { name: 'active_alerts', arguments: {} },
      { name: 'query_metric', arguments: { name: 'checkout_errors_ratio', service: 'checkout' } },
      { name: 'prometheus_query', arguments: { query: 'checkout_errors_ratios' } },
      { name: 'postgres_activity', arguments: {} },
      { name: 'search_logs', arguments: {} },
    ];
    const ended = (question: string): Promise<RunView> => {
      the.play({ turns: [asking] });
      return the.api.askAndEnd({ question, source: 'prod' });
    };
    /** What each call of {@link asking} came to, in its order. */
    const outcomes = ({ coverage }: RunView): (string | null)[] =>
      asking.map(
        ({ name }) =>
          coverage.find(({ tool }) => tool === name || (name === 'search_logs' && tool === 'unknown_tool'))
            ?.evidenceStatus ?? null,
      );

    it('is read by the tools that it can serve; what it cannot is no tool of the run', async () => {
      const run = await ended('Why are checkouts failing?');
      // A misspelt name is told as such; a tool that the source cannot serve is none.
      expect(outcomes(run)).toEqual([
        'EVIDENCE_FOUND',
        'EVIDENCE_FOUND',
        'NO_EVIDENCE',
        'EVIDENCE_FOUND',
        'ERROR',
      ]);
      const offered = the.requestsOf(run.runId).find(({ body }) => body.tools)?.body.tools ?? [];
      const names = offered.map((tool) => tool.function.name);
      expect(names).toEqual(
        expect.arrayContaining([
          'query_metric',
          'active_alerts',
          'prometheus_query',
          'postgres_locks',
          'knowledge_lookup',
        ]),
      );
      expect(names).not.toContain('search_logs');
      expect(JSON.stringify(the.requestsOf(run.runId))).not.toContain(PASSWORD);
    });

    it('that dies is an error of each call, and the run ends all the same', async () => {
      await prometheus.kill9();
      await postgres.halt();
      const run = await ended('Why are checkouts failing now?');
      expect(outcomes(run)).toEqual(['ERROR', 'ERROR', 'ERROR', 'ERROR', 'ERROR']);
      expect(run.outcome).not.toBeNull();
    });
  },
);

import { RunView } from '@inquest/contracts/run-view';
import { describeWithDebian } from '@inquest/testing/describe-with';
import { startAlertmanager } from '@inquest/testing/prometheus-server';
import { waitFor } from '@inquest/testing/wait-for';
import { ALERT_RUNS_MAX } from '../src/alerts/alert-budget';
import type { AlertRun } from '../src/alerts/alert-notification';
import { call, TOKENS, World, type Gateway } from './harness';

jest.setTimeout(60_000);

const alert = (over: Record<string, unknown> = {}) => ({
  status: 'firing',
  labels: { alertname: 'HighErrors', service: 'checkout' },
  annotations: { summary: 'token=sk-live-0123456789abcdef0123456789abcdef' },
  startsAt: new Date(Date.now() - 300_000).toISOString(),
  fingerprint: 'f1',
  ...over,
});
const group = (name: string, alerts: unknown[]) => ({
  version: '4',
  groupKey: `{}:{alertname="${name}"}`,
  status: 'firing',
  receiver: 'inquest',
  externalURL: 'http://alertmanager',
  groupLabels: { alertname: name },
  commonLabels: { alertname: name },
  truncatedAlerts: 0,
  alerts,
});

describe('alerts that open runs', () => {
  let world: World;
  let gateway: Gateway;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
  });
  afterAll(() => world.stop());

  const notify = async (body: unknown, source = 'shop-pool') => {
    const path = `/v1/webhooks/alertmanager/${source}`;
    const answer = await call(gateway, 'POST', path, { token: TOKENS.alert, body });
    return { status: answer.status, answer, told: (await answer.clone().json()) as AlertRun };
  };

  it('one run for a group, however often it is notified and whoever joins it', async () => {
    const first = alert();
    const opened = await notify(group('A', [first]));
    expect(opened).toMatchObject({ status: 201, told: { created: true } });
    const joined = await notify(
      group('A', [alert({ fingerprint: 'f2', startsAt: new Date().toISOString() }), first]),
    );
    expect(joined).toMatchObject({ status: 200, told: { runId: opened.told.runId, created: false } });
    const run = RunView.parse(
      await (await call(gateway, 'GET', `/v1/runs/${opened.told.runId}`, { token: TOKENS.ask })).json(),
    );
    expect(run).toMatchObject({ status: 'RECEIVED' });
    // An Alertmanager opens runs and reads none.
    expect(
      (await call(gateway, 'GET', `/v1/runs/${opened.told.runId}`, { token: TOKENS.alert })).status,
    ).toBe(403);
  });

  it('another run when the group fires anew, and none when it is resolved', async () => {
    const opened = await notify(group('B', [alert()]));
    const anew = await notify(group('B', [alert({ startsAt: new Date().toISOString() })]));
    expect(anew.status).toBe(201);
    expect(anew.told.runId).not.toBe(opened.told.runId);
    const resolved = await notify({ ...group('B', [alert({ status: 'resolved' })]), status: 'resolved' });
    expect(resolved).toMatchObject({ status: 200, told: { runId: null, created: false } });
  });

  it('stops opening runs at its bound, and still finds those that it opened', async () => {
    const first = alert();
    const known = await notify(group('S0', [first]), 'quiet-day');
    for (let i = 1; i < ALERT_RUNS_MAX; i += 1)
      expect((await notify(group(`S${i}`, [alert()]), 'quiet-day')).status).toBe(201);
    const refused = await notify(group('one more', [alert()]), 'quiet-day');
    expect(refused.status).toBe(429);
    expect(Number(refused.answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(refused.told).toMatchObject({ type: 'urn:inquest:problem:too-many-runs' });
    expect(await notify(group('S0', [first]), 'quiet-day')).toMatchObject({
      status: 200,
      told: { runId: known.told.runId },
    });
    expect((await notify(group('elsewhere', [alert()]))).status).toBe(201);
  });

  describeWithDebian('prometheus-alertmanager', ['prometheus-alertmanager'])('a real Alertmanager', () => {
    it('is understood: its notification opens the run of its group', async () => {
      const server = await startAlertmanager({
        url: `${gateway.url}/v1/webhooks/alertmanager/shop-pool`,
        token: TOKENS.alert,
      });
      try {
        const answer = await fetch(`${server.url}/api/v2/alerts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify([
            { labels: { alertname: 'RealOne', service: 'cart' }, annotations: { summary: 's' } },
          ]),
        });
        expect(answer.status).toBe(200);
        await waitFor('the run of a real notification', async () => {
          const asked = await world.requests();
          return asked.find(({ question }) => question.includes('Why is RealOne firing (service=cart)'));
        });
      } finally {
        await server.stop();
      }
    });
  });
});

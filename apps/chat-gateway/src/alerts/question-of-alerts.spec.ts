import { NewRun } from '@inquest/contracts/platform-facts';
import fc from 'fast-check';
import { ALERT_RUNS_MAX, AlertBudget } from './alert-budget';
import { type AlertNotification, type NotifiedAlert } from './alert-notification';
import { questionOfAlerts } from './question-of-alerts';

const BEGAN = '2026-05-01T10:05:00.000Z';
const NOW = Date.parse('2026-05-01T10:10:00.000Z');
const alert = (over: Partial<NotifiedAlert> = {}): NotifiedAlert => ({
  status: 'firing',
  labels: { alertname: 'HighErrors', service: 'checkout' },
  annotations: {},
  startsAt: BEGAN,
  fingerprint: 'f1',
  ...over,
});
const notification = (alerts: NotifiedAlert[], over: Partial<AlertNotification> = {}): AlertNotification => ({
  version: '4',
  groupKey: '{}:{alertname="HighErrors"}',
  status: 'firing',
  groupLabels: { alertname: 'HighErrors' },
  commonLabels: { alertname: 'HighErrors', service: 'checkout', severity: 'page' },
  alerts,
  ...over,
});
const asked = (of: AlertNotification, source = 'shop', at = NOW) => questionOfAlerts(of, source, at);

describe('the question of a group of alerts', () => {
  it('names the alerts, their place and when they began, and looks from before that until now', () => {
    expect(asked(notification([alert()]))?.body).toEqual({
      question: 'Why is HighErrors firing (service=checkout) since 2026-05-01T10:05:00.000Z?',
      source: 'shop',
      window: { from: '2026-05-01T09:35:00.000Z', to: '2026-05-01T10:10:00.000Z' },
      detached: true,
    });
  });

  it('is one question for as long as its first alert fires', () => {
    const first = asked(notification([alert()]));
    const later = alert({
      fingerprint: 'f0',
      startsAt: '2026-05-01T10:07:00Z',
      labels: { alertname: 'Slow' },
    });
    const again = asked(notification([later, alert()]), 'shop', NOW + 60_000);
    expect([again?.key, again?.bodyHash]).toEqual([first?.key, first?.bodyHash]);
  });

  it.each([
    ['another beginning', notification([alert({ startsAt: '2026-05-01T11:00:00Z' })]), 'shop'],
    ['another first alert', notification([alert({ fingerprint: 'f2' })]), 'shop'],
    ['another group', notification([alert()], { groupKey: '{}:{alertname="Slow"}' }), 'shop'],
    ['another source', notification([alert()]), 'warehouse'],
  ])('%s is another question', (_, of, source) => {
    expect(asked(of, source)?.key).not.toBe(asked(notification([alert()]))?.key);
  });

  it('is none where nothing fires any more', () => {
    expect(asked(notification([alert({ status: 'resolved' })], { status: 'resolved' }))).toBeUndefined();
  });

  it('can always be asked, whatever labels say and however clocks differ', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    const labels = fc.dictionary(text, text, { maxKeys: 12 });
    fc.assert(
      fc.property(labels, labels, fc.integer({ min: -600_000, max: 600_000 }), (own, common, skewMs) => {
        const startsAt = new Date(NOW + skewMs).toISOString();
        const of = notification([alert({ labels: own, startsAt })], {
          commonLabels: common,
          groupLabels: own,
        });
        const body = NewRun.parse(asked(of)?.body);
        expect(Date.parse(body.window?.from ?? '')).toBeLessThan(Date.parse(body.window?.to ?? ''));
      }),
    );
  });
});

describe('the budget of alerts', () => {
  it('is spent by what was opened within an hour, for each source by itself', () => {
    const budget = new AlertBudget();
    for (let i = 0; i < ALERT_RUNS_MAX; i += 1) {
      expect(budget.waitS('acme/shop', i * 1_000)).toBeUndefined();
      budget.spend('acme/shop', i * 1_000);
    }
    expect(budget.waitS('acme/shop', 60_000)).toBe(3_540);
    expect(budget.waitS('acme/other', 60_000)).toBeUndefined();
    expect(budget.waitS('acme/shop', 3_600_000)).toBeUndefined();
  });
});

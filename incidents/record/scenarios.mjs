// What happens when, in seconds after the recording starts, and what is true about it.

const ZONE = 'America/New_York';

const deployCatalog = { atSeconds: 60, act: (shop) => shop.processes.deploy('catalog', '5.3.1', 6_000) };

const enableRefunds = {
  atSeconds: 110,
  act: async (shop) => {
    await shop.configure('checkout', { refundsEnabled: true });
    shop.event('Normal', 'ConfigChanged', { kind: 'Service', name: 'checkout' }, 'refunds.enabled changed from false to true');
    shop.processes.tell('visitors', 'work through refunds');
  },
};

const maintainDatabase = {
  atSeconds: 60,
  act: async (shop) => {
    await shop.database.query('VACUUM ANALYZE');
    shop.event('Normal', 'MaintenanceDone', { kind: 'Service', name: 'postgres' }, 'scheduled VACUUM ANALYZE finished');
  },
};

const eveningPeak = { atSeconds: 120, act: async (shop) => shop.processes.tell('visitors', 'evening peak') };

export const SCENARIOS = {
  'checkout-pool-exhaustion': {
    title: 'Checkout fails while the rest of the shop works',
    question: 'Checkouts in the shop have been failing for some minutes. What is the root cause?',
    zone: ZONE,
    durationSeconds: 300,
    timeline: [deployCatalog, enableRefunds],
    truth: {
      faultObject: 'Service/checkout',
      rootCause: 'DATABASE_CONNECTION_POOL_EXHAUSTED_BY_LEAKED_TRANSACTIONS',
      explanation:
        'Refunds were enabled on checkout. Whenever payments rejects a refund (ALREADY_SETTLED), the refund path returns ' +
        'without ROLLBACK and without releasing its connection. Each such refund leaves one Postgres session of checkout ' +
        'idle in transaction, holding row locks. Refunds and orders of the same product then wait for these locks until ' +
        'their statements time out; a refund that fails so leaks its connection too (idle in transaction, aborted). When ' +
        'all 10 connections of the pool of checkout are gone, every order waits 2 s for one and fails with "timeout ' +
        'exceeded when trying to connect".',
      notTheCause: [
        'the deployment of catalog 5.3.1 (a few seconds of refused connections, most of a minute before the first refund)',
        'slow queries of recommendation (from the beginning on, and unchanged)',
        'event loop pauses of storefront while it rebuilds its template cache',
        'Postgres itself (far below max_connections) and the refund rejections by payments, which are ordinary answers',
      ],
    },
  },
  'quiet-evening': {
    title: 'A quiet evening in the shop',
    question: 'A customer said that the shop felt slow this evening. Is anything broken?',
    zone: ZONE,
    durationSeconds: 240,
    timeline: [maintainDatabase, eveningPeak],
    truth: {
      faultObject: null,
      rootCause: 'NO_FAULT',
      explanation:
        'Nothing is broken. Orders are placed throughout, no request of any service fails, and no request waits long for a ' +
        'database connection. What can be seen is ordinary: scheduled database maintenance, more visitors in the evening, ' +
        'some slow queries of recommendation, short pauses of storefront.',
      notTheCause: [
        'the rise of the request rate (no error, no queue follows it)',
        'the scheduled VACUUM ANALYZE',
        'slow queries of recommendation',
        'event loop pauses of storefront',
      ],
    },
  },
};

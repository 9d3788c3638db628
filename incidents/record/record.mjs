// Records an incident folder from real processes on this machine:
//   node incidents/record/record.mjs <scenario> [--out DIR] [--seconds N]
// Nothing in the folder is written by hand but the question, the title and the truth (scenarios.mjs).
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { evaluateAlerts } from './alerts.mjs';
import { KEEP_ONE_INFO_IN, logBook } from './logs.mjs';
import { metricBook, scraper } from './metrics.mjs';
import { dependencies, takeInventory } from './objects.mjs';
import { startPostgres } from './postgres.mjs';
import { processTable } from './processes.mjs';
import { SCENARIOS } from './scenarios.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const STEP_SECONDS = 5;
const WARM_UP_SECONDS = 20;
const NAMESPACE = 'shop';
const SERVICES = ['payments', 'recommendation', 'catalog', 'checkout', 'storefront'];
const VERSIONS = { payments: '1.4.2', recommendation: '3.0.7', catalog: '5.3.0', checkout: '2.8.0', storefront: '7.1.0' };

const say = (text) => process.stderr.write(`${new Date().toISOString()} ${text}\n`);

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const urlsOf = (ports) =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${port}`]));

/** What each service is told: no more than it needs. */
const environmentOf = (service, ports, postgresPort) => {
  const urls = urlsOf(ports);
  const DATABASE_URL = `postgres://shop:harbour-lantern-42@127.0.0.1:${postgresPort}/postgres`;
  const own = {
    payments: {},
    recommendation: { DATABASE_URL },
    catalog: { DATABASE_URL },
    checkout: { DATABASE_URL, POOL_MAX: '10', REFUNDS_ENABLED: 'false', PAYMENTS_URL: urls.PAYMENTS_URL },
    storefront: {
      CATALOG_URL: urls.CATALOG_URL,
      RECOMMENDATION_URL: urls.RECOMMENDATION_URL,
      CHECKOUT_URL: urls.CHECKOUT_URL,
    },
  };
  return { PORT: String(ports[service]), ...own[service] };
};

/** `closers` collects what undoes each step, also when a later step fails. */
const openShop = async (logs, events, closers) => {
  const dataDir = path.join(os.tmpdir(), `inquest-recording-${process.pid}`);
  const postgresPort = await freePort();
  const postgresStartedAt = new Date();
  const postgres = await startPostgres({ dataDir, port: postgresPort, onLine: logs.addPostgres });
  closers.unshift(async () => {
    await postgres.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });
  const connection = { host: '127.0.0.1', port: postgresPort, user: 'postgres', database: 'postgres' };
  const database = new pg.Client({ ...connection, application_name: 'recorder' });
  await database.connect();
  closers.unshift(() => database.end());
  await database.query(fs.readFileSync(path.join(HERE, 'shop/schema.sql'), 'utf8'));

  const event = (type, reason, object, message) =>
    events.push({ time: new Date().toISOString(), type, reason, object: { ...object, namespace: NAMESPACE }, message, count: 1 });
  const processes = processTable({
    onLog: logs.add,
    onEvent: ({ type, reason, object, message }) => {
      if (!object.name.startsWith('visitors')) event(type, reason, object, message);
    },
  });
  closers.unshift(processes.stopAll);
  const ports = {};
  for (const service of SERVICES) ports[service] = await freePort();
  for (const service of SERVICES) {
    await processes.start(service, { version: VERSIONS[service], env: environmentOf(service, ports, postgresPort) });
  }
  const load = { STOREFRONT_URL: urlsOf(ports).STOREFRONT_URL, BROWSES_PER_SECOND: '12', ORDERS_PER_SECOND: '2.5' };
  await processes.start('visitors', { version: '1', env: load });

  const configure = (service, body) =>
    fetch(`http://127.0.0.1:${ports[service]}/internal/config`, { method: 'POST', body: JSON.stringify(body) });
  return { postgres, postgresPort, postgresStartedAt, database, processes, ports, event, configure };
};

const recordWindow = async (shop, scenario, metrics) => {
  const scrape = scraper({ book: metrics, ports: shop.ports, database: shop.database });
  const due = [...scenario.timeline];
  const deeds = [];
  const fromMs = Math.ceil(Date.now() / 1_000) * 1_000;
  // The first scrape only empties the windows that warm-up filled.
  const discarded = metricBook(STEP_SECONDS);
  await scraper({ book: discarded, ports: shop.ports, database: shop.database })(0);
  for (let tick = 1; tick * STEP_SECONDS < scenario.durationSeconds; tick += 1) {
    const atMs = fromMs + tick * STEP_SECONDS * 1_000;
    await pause(Math.max(0, atMs - Date.now()));
    await scrape(atMs / 1_000);
    while (due.length && due[0].atSeconds <= tick * STEP_SECONDS) deeds.push(due.shift().act(shop));
    if (tick % 12 === 0) say(`${tick * STEP_SECONDS} s recorded`);
  }
  await Promise.all(deeds);
  await pause(Math.max(0, fromMs + scenario.durationSeconds * 1_000 - Date.now()));
  const window = { from: new Date(fromMs).toISOString(), to: new Date(fromMs + scenario.durationSeconds * 1_000).toISOString() };
  return window;
};

const writeFolder = (folder, files) => {
  fs.mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [name, content] of Object.entries(files)) {
    const lines = (rows) => rows.map((row) => JSON.stringify(row));
    const text = name.endsWith('.ndjson')
      ? `${lines(content).join('\n')}\n`
      : Array.isArray(content)
        ? `[${content.length ? `\n${lines(content).join(',\n')}\n` : ''}]\n`
        : `${JSON.stringify(content, null, 2)}\n`;
    bytes += Buffer.byteLength(text);
    fs.writeFileSync(path.join(folder, name), text);
  }
  return bytes;
};

const main = async () => {
  const options = { out: { type: 'string' }, seconds: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const name = positionals[0];
  if (!Object.hasOwn(SCENARIOS, name ?? '')) {
    process.stderr.write(`usage: record.mjs ${Object.keys(SCENARIOS).join('|')} [--out DIR] [--seconds N]\n`);
    process.exit(2);
  }
  const scenario = { ...SCENARIOS[name], ...(values.seconds ? { durationSeconds: Number(values.seconds) } : {}) };
  const [logs, events, metrics] = [logBook(), [], metricBook(STEP_SECONDS)];
  const closers = [];
  const closeAll = async () => {
    for (const close of closers.splice(0)) await close();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => closeAll().finally(() => process.exit(130)));
  try {
    const shop = await openShop(logs, events, closers);
    say('the shop is open; warming up');
    await pause(WARM_UP_SECONDS * 1_000);
    const window = await recordWindow(shop, scenario, metrics);
    const objects = await takeInventory({ ...shop, history: shop.processes.history });
    const within = ({ time }) => time >= window.from && time < window.to;
    const bytes = writeFolder(values.out ?? path.join(HERE, '..', name), {
      'incident.json': {
        format: 1,
        name,
        title: scenario.title,
        namespace: NAMESPACE,
        zone: scenario.zone,
        window,
        recordedAt: new Date().toISOString(),
        question: scenario.question,
        services: [...Object.keys(shop.ports), 'postgres'].sort(),
        logSampling: { services: [...SERVICES].sort(), levels: ['INFO'], keepOneIn: KEEP_ONE_INFO_IN },
      },
      'objects.json': objects,
      'events.json': events.filter(within),
      'logs.ndjson': logs.between(window.from, window.to),
      'metrics.json': metrics.all(),
      'alerts.json': evaluateAlerts(metrics.all()),
      'dependencies.json': dependencies(shop.ports, shop.postgresPort),
      'truth.json': scenario.truth,
    });
    say(`${name}: ${(bytes / 1024).toFixed(0)} KiB; ${logs.seen()} log lines seen since the start`);
  } finally {
    await closeAll();
  }
};

await main();

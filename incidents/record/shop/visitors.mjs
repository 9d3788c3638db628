// The load generator: visitors who browse and buy at random moments (open model), and, when told to, a clerk who
// works through a list of refunds. It measures nothing; the services do.
import { setTimeout as pause } from 'node:timers/promises';

const { STOREFRONT_URL, BROWSES_PER_SECOND, ORDERS_PER_SECOND } = process.env;
const REFUND_EVERY_MS = 4_000;
const placed = [];

/** A few products sell much better than the rest. */
const anySku = () => `sku-${String(1 + Math.floor(40 * Math.random() ** 2)).padStart(3, '0')}`;
const post = (path, body) =>
  fetch(`${STOREFRONT_URL}${path}`, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(8_000) });

const browse = async () => {
  await (await fetch(`${STOREFRONT_URL}/product?sku=${anySku()}`, { signal: AbortSignal.timeout(8_000) })).text();
};
const buy = async () => {
  const answer = await post('/checkout', { sku: anySku(), quantity: 1 + Math.floor(Math.random() * 3) });
  const body = await answer.json();
  if (answer.status === 201) placed.push(body.id);
};

let crowd = 1;

const arrivals = async (perSecond, visit) => {
  for (;;) {
    await pause((-Math.log(1 - Math.random()) / perSecond / crowd) * 1_000);
    // A visitor who gets an error or gives up simply leaves.
    visit().catch(() => {});
  }
};

const workThroughRefunds = async () => {
  for (;;) {
    const orderId = placed.splice(Math.floor(Math.random() * placed.length), 1)[0];
    if (orderId !== undefined) post('/refund', { orderId }).catch(() => {});
    await pause(REFUND_EVERY_MS);
  }
};

process.on('message', (order) => {
  if (order === 'evening peak') crowd = 1.5;
  if (order === 'work through refunds') void workThroughRefunds();
});

void arrivals(Number(BROWSES_PER_SECOND), browse);
void arrivals(Number(ORDERS_PER_SECOND), buy);
process.send?.('ready');

// Places orders and, since version 2.8.0, refunds them.
import { call, counters, log, openPool, serve } from './service.mjs';

const { PAYMENTS_URL } = process.env;
const pool = openPool(Number(process.env.POOL_MAX));
const extra = counters();
let refundsEnabled = process.env.REFUNDS_ENABLED === 'true';

const inTransaction = (work) =>
  pool.withClient(async (client) => {
    await client.query('BEGIN');
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  });

const placeOrder = async ({ body: { sku, quantity } }) => {
  const payment = await call(PAYMENTS_URL, 'POST', '/authorise', { sku });
  if (payment.status !== 200) return { status: 402, body: { error: 'payment declined' } };
  const id = await inTransaction(async (client) => {
    await client.query('UPDATE inventory SET quantity = quantity - $2 WHERE sku = $1', [sku, quantity]);
    const placed = await client.query(
      "INSERT INTO orders (sku, quantity, status) VALUES ($1, $2, 'placed') RETURNING id",
      [sku, quantity],
    );
    return Number(placed.rows[0].id);
  });
  extra.add('ordersPlaced');
  return { status: 201, body: { id } };
};

/**
 * THE FAULT that the first incident records. When the payment provider rejects a refund, this path returns without
 * ROLLBACK and without giving the connection back: the session stays `idle in transaction`, keeps its row locks on
 * the order and on the product's stock, and is lost to the pool for ever.
 */
const refundOrder = async ({ body: { orderId } }) => {
  if (!refundsEnabled) return { status: 404, body: { error: 'refunds are not enabled' } };
  const client = await pool.acquire();
  await client.query('BEGIN');
  const { rows } = await client.query("UPDATE orders SET status = 'refunding' WHERE id = $1 RETURNING sku, quantity", [
    orderId,
  ]);
  await client.query('SELECT quantity FROM inventory WHERE sku = $1 FOR UPDATE', [rows[0].sku]);
  const payment = await call(PAYMENTS_URL, 'POST', '/refund', { orderId });
  if (payment.status !== 200) {
    extra.add('refundsRejected');
    log.warn(`refund of order ${orderId} rejected by payments: ${payment.body.reason}; left for manual review`);
    return { status: 202, body: { status: 'manual review' } };
  }
  await client.query('UPDATE inventory SET quantity = quantity + $2 WHERE sku = $1', [rows[0].sku, rows[0].quantity]);
  await client.query("UPDATE orders SET status = 'refunded' WHERE id = $1", [orderId]);
  await client.query('COMMIT');
  client.release();
  extra.add('refundsDone');
  return { status: 200, body: { status: 'refunded' } };
};

const configure = ({ body }) => {
  refundsEnabled = body.refundsEnabled;
  log.info(`configuration changed: refunds.enabled=${refundsEnabled}`);
  return { status: 200, body: {} };
};

serve({
  pool,
  extra,
  describeFailure: (error) => `${error.message} (${pool.describe()})`,
  routes: { 'POST /orders': placeOrder, 'POST /refunds': refundOrder, 'POST /internal/config': configure },
});

import { log, openPool, serve, VERSION } from './service.mjs';

const pool = openPool(5);

const product = ({ query }) =>
  pool.withClient(async (client) => {
    const found = await client.query('SELECT sku, title, price_cents FROM products WHERE sku = $1', [query.get('sku')]);
    return found.rows.length ? { status: 200, body: found.rows[0] } : { status: 404, body: { error: 'no such product' } };
  });

const warmed = await pool.withClient((client) => client.query('SELECT count(*)::int AS n FROM products'));
log.info(`catalog ${VERSION} warmed its cache with ${warmed.rows[0].n} products`);

serve({ pool, routes: { 'GET /products': product } });

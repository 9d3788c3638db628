import { counters, log, openPool, serve } from './service.mjs';

const SLOW_QUERY_MS = 150;
const CACHE_MS = 45_000;
const QUERY = `SELECT b.sku, count(*) AS together FROM purchase_history a JOIN purchase_history b USING (basket)
  WHERE a.sku = $1 AND b.sku <> a.sku GROUP BY b.sku ORDER BY together DESC LIMIT 4`;

const pool = openPool(3);
const extra = counters();
const cache = new Map();

const query = async (sku) => {
  const startedAt = performance.now();
  const found = await pool.withClient((client) => client.query(QUERY, [sku]));
  const ms = performance.now() - startedAt;
  if (ms > SLOW_QUERY_MS) {
    extra.add('slowQueries');
    log.warn(`slow query: related products of ${sku} took ${ms.toFixed(0)} ms (threshold ${SLOW_QUERY_MS} ms)`);
  }
  return found.rows.map((row) => row.sku);
};

const related = async ({ query: parameters }) => {
  const sku = parameters.get('sku');
  const cached = cache.get(sku);
  if (cached && performance.now() - cached.at < CACHE_MS) return { status: 200, body: cached.skus };
  const skus = await query(sku);
  cache.set(sku, { at: performance.now(), skus });
  return { status: 200, body: skus };
};

serve({ pool, extra, routes: { 'GET /related': related } });

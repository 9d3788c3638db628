// The gateway: every visitor comes through here.
import { call, log, serve } from './service.mjs';

const { CATALOG_URL, RECOMMENDATION_URL, CHECKOUT_URL } = process.env;

const relatedProducts = async (sku) => {
  try {
    return (await call(RECOMMENDATION_URL, 'GET', `/related?sku=${sku}`, undefined, 1_500)).body;
  } catch (error) {
    log.warn(`recommendation left out of the page of ${sku}: ${error.message}`);
    return [];
  }
};

const forwarded = async (name, base, path, body) => {
  try {
    const answer = await call(base, 'POST', path, body);
    if (answer.status >= 500) log.warn(`upstream ${name} answered ${answer.status} to POST ${path}`);
    return answer.status >= 500 ? { status: 502, body: { error: 'upstream' } } : answer;
  } catch (error) {
    log.error(`upstream ${name} gave no answer to POST ${path}: ${error.message}`);
    return { status: 504, body: { error: 'upstream' } };
  }
};

const product = async ({ query }) => {
  const sku = query.get('sku');
  const [found, related] = await Promise.all([
    call(CATALOG_URL, 'GET', `/products?sku=${sku}`).catch((error) => ({ failed: error.cause?.code ?? error.message })),
    relatedProducts(sku),
  ]);
  if (found.failed) {
    log.warn(`upstream catalog gave no answer to GET /products: ${found.failed}`);
    return { status: 502, body: { error: 'upstream' } };
  }
  return { status: found.status, body: { ...found.body, related } };
};

/** Synchronous and wasteful on purpose: the pauses look like garbage collection and harm nobody for long. */
const rebuildTemplates = () => {
  const startedAt = performance.now();
  let templates = [];
  while (performance.now() - startedAt < 180) {
    templates.push(JSON.stringify(Array.from({ length: 400 }, (_, n) => ({ n, html: '<li>'.repeat(20) }))));
    if (templates.length > 200) templates = [];
  }
  log.warn(`event loop blocked for ${(performance.now() - startedAt).toFixed(0)} ms while rebuilding the template cache`);
};
setInterval(rebuildTemplates, 47_000).unref();

serve({
  routes: {
    'GET /product': product,
    'POST /checkout': ({ body }) => forwarded('checkout', CHECKOUT_URL, '/orders', body),
    'POST /refund': ({ body }) => forwarded('checkout', CHECKOUT_URL, '/refunds', body),
  },
});

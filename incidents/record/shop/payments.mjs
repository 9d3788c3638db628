// Stands for the shop's connector to its payment provider; answers after a short, varying delay.
import { setTimeout as pause } from 'node:timers/promises';
import { counters, serve } from './service.mjs';

const extra = counters();
let refunds = 0;

const authorise = async () => {
  await pause(15 + Math.random() * 25);
  extra.add('authorised');
  return { status: 200, body: { authorised: true } };
};

/** Every second order was settled already: a refusal that is ordinary business. */
const refund = async () => {
  await pause(30 + Math.random() * 40);
  refunds += 1;
  if (refunds % 2 === 1) return { status: 200, body: { refunded: true } };
  extra.add('refundsRejected');
  return { status: 409, body: { reason: 'ALREADY_SETTLED' } };
};

serve({ extra, routes: { 'POST /authorise': authorise, 'POST /refund': refund } });

// Asks Inquest over the bus, as a platform gateway would: plain @nats-io code, nothing of this repository.
//
//   NATS_URL=nats://publisher-portal:password@127.0.0.1:4222 PUBLISHER=portal \
//     node docs/examples/platform-gateway.mjs "Why is checkout slow?" [key]
//
// A publisher may write below `entry.<publisher>.` and read below `entry-answer.<publisher>.`, and nothing else. The key
// is its own: the same key and question are the same run, however often they are published. Answers are core NATS, kept
// by nobody: a publisher that missed one publishes its request again and is told again.
import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';

const { NATS_URL, PUBLISHER } = process.env;
const [question, key = randomUUID()] = process.argv.slice(2);
if (!NATS_URL || !PUBLISHER || !question) {
  process.stderr.write(
    'usage: NATS_URL=nats://user:password@host PUBLISHER=name platform-gateway.mjs "question" [key]\n',
  );
  process.exit(2);
}

const { hostname, port, username, password } = new URL(NATS_URL);
const nc = await connect({
  servers: `${hostname}:${port || 4222}`,
  user: decodeURIComponent(username),
  pass: decodeURIComponent(password),
  // A restricted user hears its replies below its own prefix only.
  inboxPrefix: `_INBOX.${decodeURIComponent(username)}`,
});

// Listen first, then ask: an answer that nobody hears is gone.
const answers = nc.subscribe(`entry-answer.${PUBLISHER}.${key}`);
// The broker's acknowledgement means: durable. From here on the request survives this process and every service.
await nc.request(`entry.${PUBLISHER}.${key}.request`, JSON.stringify({ question }), { timeout: 5_000 });

// To cancel: nc.request(`entry.${PUBLISHER}.${key}.cancel`, '{}')
for await (const message of answers) {
  const answer = message.json();
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  // ACCEPTED {runId} | REFUSED {problem} | ENDED {runId, outcome}; the report itself is GET /v1/runs/{runId}.
  if (answer.kind !== 'ACCEPTED') break;
}
await nc.drain();

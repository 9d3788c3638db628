import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { runRequested } from '@inquest/contracts/inbound-facts';
import { serviceAnnounced } from '@inquest/contracts/platform-facts';
import { announcementSubject } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { publishLatest } from '@inquest/event-log/publish-latest';
import { operateCutOver } from '@inquest/local-stack/provision-log';
import { waitFor } from '@inquest/testing/wait-for';
import { problemKind, type Answer } from './support/api';
import { RunLog } from './support/run-log';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(90_000);

const QUESTION = { question: 'Checkouts fail. What is the cause?', source: 'quiet-evening', detached: true };
/** What stops announcing itself is forgotten after this long. */
const FORGOTTEN_MS = 30_000;

const SMUGGLED = {
  runId: '00000000-0000-8000-8000-00000000000a',
  tenant: 'local',
  principal: 'local/somebody',
  sessionId: null,
  question: QUESTION.question,
  source: QUESTION.source,
  window: null,
  zone: 'UTC',
  locale: 'en',
  bodyHash: '0'.repeat(64),
  detached: true,
  disconnectGraceMs: 0,
  limits: null,
  knownPositions: [],
  entry: null,
  requestedAt: '2026-03-04T10:00:00Z',
};

type OldChat = { url: string; asked: IncomingMessage[]; server: Server };

/** The chat as it was before Inquest: it answers whatever it is asked. */
const startOldChat = async (): Promise<OldChat> => {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'text/plain' }).end('the old answer'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`, asked, server };
};

const post = (the: TheStack, headers: Record<string, string> = {}): Promise<Answer> =>
  the.api.send('POST', '/v1/runs', { body: QUESTION, headers });

const refusalOf = (answer: Answer) => ({
  status: answer.status,
  kind: problemKind(answer),
  retryAfter: Number(answer.headers.get('retry-after')) > 0,
  path: answer.headers.get('inquest-path'),
});
const GUARDS_UNAVAILABLE = { status: 503, kind: 'guards-unavailable', retryAfter: true, path: null };

describe('H10 the public entry with an old path', () => {
  let the: TheStack;
  let old: OldChat;
  beforeAll(async () => {
    old = await startOldChat();
    the = await startTheStack({ cutOver: false, env: { LEGACY_CHAT_URL: old.url } });
  });
  afterAll(async () => {
    await the?.stop();
    old?.server.close();
  });

  const untilPost = (what: string, fits: (answer: Answer) => boolean, timeoutMs = 10_000): Promise<Answer> =>
    waitFor(
      what,
      async () => {
        const answer = await post(the);
        return fits(answer) ? answer : undefined;
      },
      timeoutMs,
    );

  it('before the cut-over: questions go the old path, which says so, and no run exists', async () => {
    const answer = await post(the);
    expect([answer.status, answer.text, answer.headers.get('inquest-path')]).toEqual([
      200,
      'the old answer',
      'legacy',
    ]);
    expect(old.asked).toHaveLength(1);
    expect(old.asked[0]?.headers.authorization).toBeUndefined();
    expect(the.model.requests.filter(({ key }) => !key.startsWith('canary/'))).toEqual([]);
  });

  it('before the cut-over: a request that reached the log by any other way starts no run', async () => {
    const gateway = await RunLog.open(the.stack.natsUrlFor('chat-gateway'), 'chat-gateway');
    const subject = gateway.subjects(SMUGGLED.runId).in('request');
    const frame = { subject, type: runRequested.type, source: 'chat-gateway', time: SMUGGLED.requestedAt };
    await gateway.log.putIfAbsent(subject, messageOf(frame, runRequested.schema.parse(SMUGGLED)));
    await gateway.close();
    const view = await the.api.ended(SMUGGLED.runId);
    expect(view).toMatchObject({
      outcome: 'FAILED',
      failure: { reason: 'EVIDENCE_GUARD_UNAVAILABLE' },
      modelCalls: 0,
    });
    expect(the.requestsOf(SMUGGLED.runId)).toEqual([]);
  });

  it('from the cut-over on: the guarded path, and the old one is not asked any more', async () => {
    expect(await operateCutOver(the.stack.natsUrl, 'cut-over', 'e2e')).toMatchObject({
      kind: 'CUT_OVER',
      contractVersion: CONTRACT_VERSION,
      ruleSet: RULE_SET,
    });
    const before = old.asked.length;
    const answer = await post(the);
    expect([answer.status, answer.headers.get('inquest-path')]).toEqual([201, null]);
    const { runId } = JSON.parse(answer.text) as { runId: string };
    expect((await the.api.ended(runId)).outcome).toBe('SUCCESS');
    expect(old.asked).toHaveLength(before);
  });

  it('a guard that announces other rules shuts it at once, and the old path stays closed', async () => {
    const before = old.asked.length;
    const nc = await connectNats({ url: the.stack.natsUrlFor('evidence-guard'), service: 'evidence-guard' });
    const subject = announcementSubject('evidence-guard', 'of-another-release');
    const announce = async (ruleSet: string): Promise<void> => {
      const at = new Date().toISOString();
      const about = {
        service: 'evidence-guard',
        instance: 'of-another-release',
        version: '9.9.9',
        startedAt: at,
        at,
      };
      const data = serviceAnnounced.schema.parse({ ...about, contractVersion: CONTRACT_VERSION, ruleSet });
      const frame = { subject, type: serviceAnnounced.type, source: 'evidence-guard', time: at };
      await publishLatest(nc, subject, messageOf(frame, data));
    };
    await announce('evidence-0');
    const shut = await untilPost('a refusal', ({ status }) => status !== 201);
    await announce(RULE_SET);
    await untilPost('an open gate', ({ status }) => status === 201);
    await nc.close();
    expect(refusalOf(shut)).toEqual(GUARDS_UNAVAILABLE);
    expect(old.asked).toHaveLength(before);
  });

  it('a roll-back alone opens the old path again, and a new cut-over closes it', async () => {
    await operateCutOver(the.stack.natsUrl, 'roll-back', 'e2e');
    const rolledBack = await untilPost('the old path', ({ status }) => status === 200);
    expect(rolledBack.headers.get('inquest-path')).toBe('legacy');
    await operateCutOver(the.stack.natsUrl, 'cut-over', 'e2e');
    expect(
      (await untilPost('the guarded path', ({ status }) => status === 201)).headers.get('inquest-path'),
    ).toBeNull();
  });

  it('a guard that is away shuts it within half a minute, never widens it, and opens it when it is back', async () => {
    const key = { 'idempotency-key': 'asked-before' };
    const known = await post(the, key);
    const { runId } = JSON.parse(known.text) as { runId: string };
    await the.api.ended(runId);
    const before = old.asked.length;
    await the.stack.process('evidence-guard').stop();
    const shut = await untilPost('a refusal', ({ status }) => status !== 201, FORGOTTEN_MS + 5_000);
    expect(refusalOf(shut)).toEqual(GUARDS_UNAVAILABLE);
    // What was asked before is still found.
    expect(JSON.parse((await post(the, key)).text)).toMatchObject({ runId, status: 'RELEASED' });
    await the.stack.process('evidence-guard').start();
    await untilPost('an open gate', ({ status }) => status === 201);
    expect(old.asked).toHaveLength(before);
  });
});

describe('H10 the public entry without an old path', () => {
  let the: TheStack;
  beforeAll(async () => {
    the = await startTheStack({
      cutOver: false,
      services: ['chat-gateway', 'evidence-guard', 'semantic-guard'],
      model: { canaries: 'FAIL' },
    });
  });
  afterAll(() => the?.stop());

  it('is shut before the cut-over', async () => {
    expect(refusalOf(await post(the))).toEqual({
      status: 503,
      kind: 'not-cut-over',
      retryAfter: false,
      path: null,
    });
  });

  it('is shut after it as long as the judge does not pass its canaries', async () => {
    await operateCutOver(the.stack.natsUrl, 'cut-over', 'e2e');
    expect(refusalOf(await post(the))).toEqual(GUARDS_UNAVAILABLE);
    const system = await the.api.send('GET', '/v1/system');
    expect(JSON.parse(system.text)).toMatchObject({
      judgeHealthy: false,
      entry: { path: 'REFUSED', refusal: 'guards-unavailable' },
    });
  });
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '@inquest/contracts/problem';
import { waitFor } from '@inquest/testing/wait-for';
import { call, RULE_SET, TOKENS, World, type CallOptions, type Gateway } from './harness';

const at = '2024-05-01T00:00:00Z';
const CUT_OVER = { kind: 'CUT_OVER', contractVersion: 1, ruleSet: RULE_SET, at, by: 'test' } as const;

describe('H10 the public entry', () => {
  let world: World;
  let legacy: Server;
  let legacyUrl: string;
  let heard: { headers: Record<string, unknown>; body: unknown }[];

  beforeEach(async () => {
    world = await World.start();
    heard = [];
    legacy = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        heard.push({ headers: request.headers, body: JSON.parse(text) });
        response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('It is the database.');
      });
    }).listen(0, '127.0.0.1');
    await once(legacy, 'listening');
    legacyUrl = `http://127.0.0.1:${(legacy.address() as AddressInfo).port}/chat`;
  });
  afterEach(async () => {
    legacy.closeAllConnections();
    legacy.close();
    await world.stop();
  });

  const ask = (
    gateway: Gateway,
    headers: Record<string, string> = {},
    options: CallOptions = {},
  ): Promise<Response> =>
    call(gateway, 'POST', '/v1/runs', { token: TOKENS.ask, body: { question: 'Why?' }, headers, ...options });
  const kindOf = async (response: Response): Promise<string> =>
    Problem.parse(await response.json())
      .type.split(':')
      .at(-1) ?? '';
  const until = (gateway: Gateway, status: number) =>
    waitFor(`the entry to answer ${status}`, async () =>
      (await ask(gateway)).status === status ? true : undefined,
    );

  it('is shut before the cut-over where there is no old path', async () => {
    await world.guards();
    const gateway = await world.gateway();
    const response = await ask(gateway);
    expect([response.status, await kindOf(response)]).toEqual([503, 'not-cut-over']);
  });

  it('goes the old path before the cut-over, and says so', async () => {
    await world.guards();
    const gateway = await world.gateway({ LEGACY_CHAT_URL: legacyUrl });
    const response = await ask(gateway, { 'idempotency-key': 'k-1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('inquest-path')).toBe('legacy');
    expect(await response.text()).toBe('It is the database.');
    expect(heard[0]).toMatchObject({
      body: { question: 'Why?' },
      headers: { 'idempotency-key': 'k-1', 'inquest-tenant': 'acme' },
    });
    expect(heard[0]?.headers['authorization']).toBeUndefined();
  });

  it('says that the old path is away', async () => {
    const gateway = await world.gateway({ LEGACY_CHAT_URL: 'http://127.0.0.1:1/chat' });
    const response = await ask(gateway);
    expect([response.status, await kindOf(response)]).toEqual([502, 'legacy-unavailable']);
  });

  it('takes the guarded path from the cut-over on, at once, and the old one after a roll-back only', async () => {
    await world.guards();
    const gateway = await world.gateway({ LEGACY_CHAT_URL: legacyUrl });
    expect((await ask(gateway)).headers.get('inquest-path')).toBe('legacy');
    await world.turnGate(CUT_OVER);
    const guarded = await ask(gateway);
    expect([guarded.status, guarded.headers.get('inquest-path')]).toEqual([201, null]);
    await world.turnGate({ kind: 'ROLLED_BACK', at, by: 'test' });
    await until(gateway, 200);
    expect((await ask(gateway)).headers.get('inquest-path')).toBe('legacy');
  });

  it('never opens the old path for a guard that is away, and comes back with it', async () => {
    await world.turnGate(CUT_OVER);
    const gateway = await world.gateway({ LEGACY_CHAT_URL: legacyUrl });
    const response = await ask(gateway);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await kindOf(response)).toBe('guards-unavailable');
    expect(heard).toEqual([]);
    await world.guards();
    await until(gateway, 201);
    expect(heard).toEqual([]);
  });

  it('shuts when a guard announces another rule set, or its judge fails the canaries', async () => {
    const gateway = await world.openGateway({ LEGACY_CHAT_URL: legacyUrl });
    await until(gateway, 201);
    const semantic = await world.connect('semantic-guard');
    const evidence = await world.connect('evidence-guard');
    await world.announce(evidence, { service: 'evidence-guard', instance: 'two', ruleSet: 'evidence-0' });
    await until(gateway, 503);
    await world.announce(evidence, { service: 'evidence-guard', instance: 'two', ruleSet: RULE_SET });
    await until(gateway, 201);
    const judge = { healthy: false, model: 'rules-judge', checkedAt: null, why: 'a canary failed' };
    await world.announce(semantic, { service: 'semantic-guard', judge });
    await until(gateway, 503);
    expect(heard).toEqual([]);
    // Ready for reading what is there; the guards are shown as what they are.
    const ready = await call(gateway, 'GET', '/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { log: 'up', readModel: 'down', guards: 'down' } },
    ]);
  });

  it('finds a run that exists whatever the gate says by now', async () => {
    const gateway = await world.openGateway();
    const first = await ask(gateway, { 'idempotency-key': 'k-1' });
    await world.turnGate({ kind: 'ROLLED_BACK', at, by: 'test' });
    await until(gateway, 503);
    const again = await ask(gateway, { 'idempotency-key': 'k-1' });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(await first.json());
  });
});

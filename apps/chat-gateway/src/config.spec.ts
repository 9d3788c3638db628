import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadEnvironment, parseConfig } from '@inquest/service-shell/config';
import { gatewayEnv } from './config';

const grant = { token: 'a-token-of-20-letters', tenant: 'acme', subject: 'ada', scopes: ['ask'] };
const ENV = { NATS_URL: 'nats://127.0.0.1:4222', TOKENS: JSON.stringify([grant]) };
const read = (env: Record<string, string | undefined>) => parseConfig(gatewayEnv, { ...ENV, ...env });

describe('The gateway’s configuration', () => {
  it('listens on the loopback interface unless told otherwise', () => {
    expect(read({})).toMatchObject({ HOST: '127.0.0.1', port: 7080, tokens: [grant] });
    expect(read({ PORT: '1', GATEWAY_PORT: '2' }).port).toBe(2);
  });

  it('derives the same stream secret at every gateway with the same tokens', () => {
    expect(read({}).streamSecret).toBe(read({ PORT: '1' }).streamSecret);
    expect(
      read({ TOKENS: JSON.stringify([{ ...grant, token: 'another-token-of-22-l' }]) }).streamSecret,
    ).not.toBe(read({}).streamSecret);
    expect(read({ STREAM_SECRET: 'sixteen-letters-and-more' }).streamSecret).toBe('sixteen-letters-and-more');
  });

  it('takes the names of sources, with or without their folders', () => {
    expect([...(read({ INCIDENT_SOURCES: 'shop=a/b, quiet' }).INCIDENT_SOURCES ?? [])]).toEqual([
      'shop',
      'quiet',
    ]);
    expect(read({}).INCIDENT_SOURCES).toBeUndefined();
  });

  it('reads tokens from a file', () => {
    const dir = mkdtempSync(join(tmpdir(), 'inquest-config-'));
    const file = join(dir, 'tokens.json');
    writeFileSync(file, JSON.stringify([grant]));
    expect(read({ TOKENS: undefined, GATEWAY_TOKENS_FILE: file }).tokens).toEqual([grant]);
    rmSync(dir, { recursive: true });
  });

  it.each([
    [{ NATS_URL: undefined }, 'NATS_URL'],
    [{ NATS_URL: 'http://127.0.0.1' }, 'NATS_URL'],
    [{ TOKENS: undefined }, 'TOKENS'],
    [{ TOKENS: 'no json' }, 'TOKENS'],
    [{ TOKENS: '[]' }, 'TOKENS'],
    [{ TOKENS: JSON.stringify([{ ...grant, token: 'short' }]) }, 'TOKENS'],
    [{ TOKENS: JSON.stringify([{ ...grant, scopes: ['everything'] }]) }, 'TOKENS'],
    [{ TOKENS: JSON.stringify([grant, grant]) }, 'TOKENS'],
    [{ TOKENS: undefined, GATEWAY_TOKENS_FILE: 'no-such-file' }, 'GATEWAY_TOKENS_FILE'],
    [{ PUBLISHERS: '[{"publisher":"Portal","tenants":["acme"]}]' }, 'PUBLISHERS'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
    [{ LEGACY_CHAT_URL: 'file:///etc/passwd' }, 'LEGACY_CHAT_URL'],
    [{ PORT: '70000' }, 'PORT'],
    [{ STREAM_SECRET: 'short' }, 'STREAM_SECRET'],
  ])('refuses %j and names the variable, not its value', (env, name) => {
    let error: unknown;
    try {
      read(env);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(BadEnvironment);
    const { message } = error as BadEnvironment;
    expect(message).toContain(name);
    expect(message).not.toContain(grant.token);
  });
});

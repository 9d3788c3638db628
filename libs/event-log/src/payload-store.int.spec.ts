import { sha256 } from '@inquest/contracts/canonical-json';
import { BLOB_BYTES_MAX, INLINE_BYTES_MAX } from '@inquest/contracts/payload';
import type { NatsConnection } from '@nats-io/transport-node';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { connectNats } from './connection';
import { PayloadUnusable } from './event-log';
import { askApi } from './js-api';
import { NatsPayloadStore } from './payload-store';
import { loadPayload, storePayload } from './payloads';
import { provision } from './provisioner';
import { BLOB_STREAM } from './streams';

describe('Payloads', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let store: NatsPayloadStore;

  beforeAll(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'operator' });
    await provision(nc);
    store = new NatsPayloadStore(nc);
  });
  afterAll(async () => {
    await nc.close();
    await nats.stop();
  });

  const messages = async (): Promise<number> =>
    (await askApi<{ state: { messages: number } }>(nc, `STREAM.INFO.${BLOB_STREAM}`)).state.messages;

  it.each([0, 1, INLINE_BYTES_MAX, INLINE_BYTES_MAX + 1, 700_000])(
    'of %i bytes come back as they were',
    async (bytes) => {
      const text = 'e'.repeat(bytes);
      const payload = await storePayload(store, 'acme', text);
      expect(payload).toMatchObject({ bytes, sha256: sha256(text) });
      expect(payload.blob !== undefined).toBe(bytes > INLINE_BYTES_MAX);
      expect(await loadPayload(store, payload)).toBe(text);
    },
  );

  it('count bytes, not characters', async () => {
    const text = '世'.repeat(INLINE_BYTES_MAX / 2);
    const payload = await storePayload(store, 'acme', text);
    expect(payload).toMatchObject({ bytes: text.length * 3, blob: expect.any(String) });
    expect(await loadPayload(store, payload)).toBe(text);
  });

  it('are stored once, however many store them at once, and read while they are', async () => {
    const text = 'once '.repeat(60_000);
    const payload = await storePayload(store, 'acme', text);
    const before = await messages();
    const rest = await Promise.all(
      Array.from({ length: 20 }, () => storePayload(new NatsPayloadStore(nc), 'acme', text)),
    );
    expect(rest).toEqual(Array(20).fill(payload));
    expect(await messages()).toBe(before);
    const texts = await Promise.all(Array.from({ length: 20 }, () => loadPayload(store, payload)));
    expect(texts.every((found) => found === text)).toBe(true);
  });

  it('of one tenant do not tell another what they hold', async () => {
    const text = 'same '.repeat(60_000);
    const [a, b] = [await store.put('acme', text), await store.put('other', text)];
    expect(a).not.toBe(b);
  });

  it('are refused when missing, of another size or of another digest', async () => {
    const text = 'x'.repeat(200_000);
    const name = await store.put('acme', text);
    const expected = { sha256: sha256(text), bytes: text.length };
    await expect(store.get('0'.repeat(64), expected)).rejects.toThrow(PayloadUnusable);
    await expect(store.get(name, { ...expected, bytes: 5 })).rejects.toThrow(/size/);
    await expect(store.get(name, { ...expected, sha256: '0'.repeat(64) })).rejects.toThrow(/digest/);
    await expect(loadPayload(store, { ...expected, inline: 'other' })).rejects.toThrow(/digest/);
  });

  it('over the cap are neither written nor read', async () => {
    await expect(store.put('acme', 'x'.repeat(BLOB_BYTES_MAX + 1))).rejects.toThrow(PayloadUnusable);
    await expect(store.get('0'.repeat(64), { sha256: '', bytes: BLOB_BYTES_MAX + 1 })).rejects.toThrow(
      PayloadUnusable,
    );
  });
});

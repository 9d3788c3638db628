import { createHash } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { Objm, type ObjectInfo, type ObjectStore } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { BLOB_BUCKET } from '@inquest/contracts/subjects';
import { BLOB_BYTES_MAX } from '@inquest/contracts/payload';
import { sha256 } from '@inquest/contracts/canonical-json';
import { EventLogUnavailable, PayloadUnusable, type PayloadStore } from './event-log';
import { directGet } from './js-api';
import { BLOB_STREAM } from './streams';

/** A store that does not answer must not hold a step for ever; the client's own reads were seen to hang. */
const PUT_TIMEOUT_MS = 15_000;
const GET_TIMEOUT_MS = 15_000;
const INFO_TIMEOUT_MS = 5_000;

/** Salted by tenant, so that equal bytes of two tenants are two objects and nobody can probe for another's. */
export const payloadName = (tenant: string, bytes: Uint8Array): string =>
  createHash('sha256').update(tenant).update('\0').update(bytes).digest('hex');

/**
 * Payloads in the NATS object store. Written with @nats-io/obj; read by its documented layout (chunks of one object
 * are one subject) with direct gets: a consumer per read, as the client makes it, was seen to hang, and would need a
 * permission by which a service could have chunks of its own making delivered to foreign subjects.
 */
export class NatsPayloadStore implements PayloadStore {
  private opened: Promise<ObjectStore> | undefined;

  constructor(private readonly nc: NatsConnection) {}

  async put(tenant: string, text: string): Promise<string> {
    const bytes = Buffer.from(text, 'utf8');
    const name = payloadName(tenant, bytes);
    if (bytes.length > BLOB_BYTES_MAX)
      throw new PayloadUnusable(name, `${bytes.length} bytes are over the cap`);
    return guarded('putPayload', async () => {
      const store = await this.store();
      // The name says what is inside: what is there already is the same, and must not be disturbed under its readers.
      if (await within(INFO_TIMEOUT_MS, store.info(name))) return name;
      await within(PUT_TIMEOUT_MS, store.putBlob({ name }, bytes));
      return name;
    });
  }

  async get(name: string, expected: { sha256: string; bytes: number }): Promise<string> {
    if (expected.bytes > BLOB_BYTES_MAX)
      throw new PayloadUnusable(name, `${expected.bytes} bytes are over the cap`);
    const bytes = await guarded('getPayload', async () => {
      const info = await within(INFO_TIMEOUT_MS, (await this.store()).info(name));
      if (!info || info.deleted) throw new PayloadUnusable(name, 'it is not there');
      if (info.size !== expected.bytes) throw new PayloadUnusable(name, 'its size is not the expected one');
      return within(GET_TIMEOUT_MS, this.chunks(info));
    });
    if (bytes.length !== expected.bytes || sha256(bytes) !== expected.sha256) {
      throw new PayloadUnusable(name, 'its digest is not the expected one');
    }
    return bytes.toString('utf8');
  }

  private async chunks({ name, nuid, chunks }: ObjectInfo): Promise<Buffer> {
    const subject = `$O.${BLOB_BUCKET}.C.${nuid}`;
    const parts: Uint8Array[] = [];
    for (let seq = 1; parts.length < chunks;) {
      const chunk = await directGet(this.nc, BLOB_STREAM, { seq, next_by_subj: subject });
      if (!chunk) throw new PayloadUnusable(name, 'a part of it is missing');
      parts.push(chunk.data);
      seq = chunk.seq + 1;
    }
    return Buffer.concat(parts);
  }

  private store(): Promise<ObjectStore> {
    this.opened ??= new Objm(jetstream(this.nc, { checkAPI: false }))
      .open(BLOB_BUCKET)
      .catch((error: unknown) => {
        this.opened = undefined;
        throw error;
      });
    return this.opened;
  }
}

const within = async <T>(timeoutMs: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the object store did not answer in ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const guarded = async <T>(operation: string, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    throw error instanceof PayloadUnusable ? error : new EventLogUnavailable(operation, error);
  }
};

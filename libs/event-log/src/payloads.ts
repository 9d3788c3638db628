import { sha256 } from '@inquest/contracts/canonical-json';
import { INLINE_BYTES_MAX, type Payload } from '@inquest/contracts/payload';
import { PayloadUnusable, type PayloadStore } from './event-log';

/** Turns a text into what a fact carries: inline up to 128 KiB, by name above. */
export const storePayload = async (store: PayloadStore, tenant: string, text: string): Promise<Payload> => {
  // What UTF-8 cannot hold would come back as other bytes than were hashed.
  const wellFormed = text.toWellFormed();
  const bytes = Buffer.byteLength(wellFormed, 'utf8');
  const digest = sha256(wellFormed);
  return bytes <= INLINE_BYTES_MAX
    ? { sha256: digest, bytes, inline: wellFormed }
    : { sha256: digest, bytes, blob: await store.put(tenant, wellFormed) };
};

/** The text of a fact's payload, checked against its digest wherever it came from. Throws {@link PayloadUnusable}. */
export const loadPayload = async (store: PayloadStore, payload: Payload): Promise<string> => {
  if (payload.inline !== undefined) {
    if (sha256(payload.inline) !== payload.sha256)
      throw new PayloadUnusable('inline', 'its digest is not the expected one');
    return payload.inline;
  }
  if (payload.blob === undefined) throw new PayloadUnusable('unnamed', 'it has neither text nor name');
  return store.get(payload.blob, payload);
};

import { createHash, randomBytes } from 'node:crypto';
import type { RunId } from '@inquest/contracts/ids';

/** UUIDv8 (RFC 9562, 5.8): the first 16 of the given bytes, with the version and variant bits set. */
const uuid8Of = (bytes: Uint8Array): RunId => {
  const uuid = Uint8Array.from(bytes.subarray(0, 16));
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x80;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(uuid).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as RunId;
};

// A JSON array, so that no two lists of parts read as the same text.
const hashOfParts = (...parts: string[]): Uint8Array =>
  createHash('sha256').update(JSON.stringify(parts)).digest();

/** The same tenant and Idempotency-Key name the same run, for ever and at every gateway. */
export const runIdForKey = (tenant: string, key: string): RunId => uuid8Of(hashOfParts(tenant, key));

/** Keys of the bus entry are the publisher's own: two publishers of one tenant never meet in a run. */
export const runIdForEntry = (tenant: string, publisher: string, key: string): RunId =>
  uuid8Of(hashOfParts(tenant, 'entry', publisher, key));

/** Cases have keys of their own: the same key names a run and, besides, a case. */
export const caseIdForKey = (tenant: string, key: string): RunId => uuid8Of(hashOfParts(tenant, 'case', key));

export const randomRunId = (): RunId => uuid8Of(randomBytes(16));

import { z } from 'zod';
import { Sha256 } from './ids';

/** Texts up to this many UTF-8 bytes travel inside their fact; longer ones go to the object store. */
export const INLINE_BYTES_MAX = 128 * 1024;
export const BLOB_BYTES_MAX = 32 * 1024 * 1024;

/** A text, by value or by name, always with its digest: a reader checks it before use. */
export const Payload = z
  .strictObject({
    sha256: Sha256,
    /** Length in UTF-8 bytes. */
    bytes: z.number().int().nonnegative().max(BLOB_BYTES_MAX),
    inline: z.string().optional(),
    /** Name in the object store: sha256(tenant salt, bytes). */
    blob: Sha256.optional(),
  })
  .refine((p) => (p.inline === undefined) !== (p.blob === undefined), 'exactly one of inline and blob');
export type Payload = z.infer<typeof Payload>;

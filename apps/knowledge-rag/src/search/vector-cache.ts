import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Vectors by the hash of their text, so that a text is embedded once per model, whatever is added around it. */
export interface VectorCache {
  get(hash: string): Float32Array | undefined;
  set(hash: string, vector: Float32Array): void;
  save(): Promise<void>;
}

export const memoryCache = (): VectorCache => {
  const vectors = new Map<string, Float32Array>();
  return {
    get: (hash) => vectors.get(hash),
    set: (hash, vector) => void vectors.set(hash, vector),
    save: () => Promise.resolve(),
  };
};

const HASH_BYTES = 32;

const readEntries = (bytes: Buffer): Map<string, Float32Array> => {
  const vectors = new Map<string, Float32Array>();
  let at = 0;
  while (at + HASH_BYTES + 4 <= bytes.length) {
    const hash = bytes.subarray(at, at + HASH_BYTES).toString('hex');
    const length = bytes.readUInt32LE(at + HASH_BYTES);
    at += HASH_BYTES + 4;
    if (at + length * 4 > bytes.length) break;
    vectors.set(hash, new Float32Array(Uint8Array.from(bytes.subarray(at, at + length * 4)).buffer));
    at += length * 4;
  }
  return vectors;
};

/** In a file of the model's own; one that is broken or cut is read as far as it goes, the rest is embedded again. */
export const fileCache = async (dir: string, model: string): Promise<VectorCache> => {
  const file = join(dir, `${createHash('sha256').update(model).digest('hex').slice(0, 16)}.vectors`);
  const vectors = readEntries(await readFile(file).catch(() => Buffer.alloc(0)));
  let changed = false;
  return {
    get: (hash) => vectors.get(hash),
    set: (hash, vector) => {
      vectors.set(hash, vector);
      changed = true;
    },
    save: async () => {
      if (!changed) return;
      const parts = [...vectors].flatMap(([hash, vector]) => {
        const length = Buffer.alloc(4);
        length.writeUInt32LE(vector.length);
        return [
          Buffer.from(hash, 'hex'),
          length,
          Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
        ];
      });
      await mkdir(dir, { recursive: true, mode: 0o700 });
      // Whole or not at all: a process that dies while it writes leaves the old file.
      await writeFile(`${file}.new`, Buffer.concat(parts), { mode: 0o600 });
      await rename(`${file}.new`, file);
      changed = false;
    },
  };
};

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A random secret of 192 bits that needs no quoting in a URL, a shell or a configuration file. */
export const newSecret = (): string => randomBytes(24).toString('base64url');

/** Writes a file that only its owner reads, whole or not at all. */
export const writePrivateJson = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}.tmp`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(half, 0o600);
  renameSync(half, file);
};

export const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/** The named secrets of a file; missing ones are drawn and kept, so that each start knows what an earlier one drew. */
export const keptSecrets = <Name extends string>(
  file: string,
  names: readonly Name[],
): Record<Name, string> => {
  const known = (readJson(file) ?? {}) as Record<string, string>;
  const all = { ...known };
  for (const name of names) all[name] ??= newSecret();
  if (names.some((name) => known[name] === undefined)) writePrivateJson(file, all);
  return all as Record<Name, string>;
};

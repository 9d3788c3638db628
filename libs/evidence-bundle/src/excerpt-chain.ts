import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { CHAIN_ROOT, type ExcerptEntry } from '@inquest/contracts/evidence-bundle';

export type UnchainedEntry = Omit<ExcerptEntry, 'hash'>;

/** The link of one entry to everything before it. */
export const entryHash = (previous: string, entry: UnchainedEntry): string =>
  sha256(previous + canonicalJson(entry));

export const chained = (entries: readonly UnchainedEntry[]): ExcerptEntry[] => {
  let previous = CHAIN_ROOT;
  return entries.map((entry) => {
    previous = entryHash(previous, entry);
    return { ...entry, hash: previous };
  });
};

/** Index of the first entry whose hash does not follow from the ones before it; -1 if all do. */
export const brokenLink = (entries: readonly ExcerptEntry[]): number => {
  let previous = CHAIN_ROOT;
  return entries.findIndex(({ hash, ...entry }) => {
    const expected = entryHash(previous, entry);
    previous = hash;
    return hash !== expected;
  });
};

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { corpusOf, CorpusInvalid, type CorpusFile } from './corpus';
import type { Runbook } from './runbook';

const isRunbook = (name: string): boolean =>
  name.endsWith('.md') && !name.startsWith('.') && name !== 'README.md';

const fileAt = async (dir: string, name: string): Promise<CorpusFile> => {
  try {
    return { name, bytes: await readFile(join(dir, name)) };
  } catch (error) {
    throw new CorpusInvalid([
      `${name}: it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    ]);
  }
};

/** Reads the `*.md` files of a folder, README.md excepted. Throws {@link CorpusInvalid}. */
export const readCorpus = async (dir: string): Promise<Runbook[]> => {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new CorpusInvalid([`${dir}: it cannot be read (${error.code ?? 'unknown'})`]);
  });
  return corpusOf(await Promise.all(names.filter(isRunbook).map((name) => fileAt(dir, name))));
};

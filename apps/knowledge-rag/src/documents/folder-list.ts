import { Token } from '@inquest/contracts/ids';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** Name to folder: what `inquest knowledge add` keeps. The name is the beginning of every document's id. */
export const FolderList = z
  .record(Token, z.string().min(1).max(4_096))
  .refine((folders) => Object.keys(folders).length <= 50, { error: 'has more than 50 folders' });
export type FolderList = z.infer<typeof FolderList>;

/** The folders that are listed now; none where there is no list. Rejects for a list that cannot be read as one. */
export const readFolderList = async (path: string | undefined): Promise<FolderList> => {
  if (path === undefined) return {};
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return FolderList.parse(JSON.parse(text));
};

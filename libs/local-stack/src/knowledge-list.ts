import { Token } from '@inquest/contracts/ids';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { sourceNameOf } from './incident-sources';
import { readJson, writePrivateJson } from './secrets';
import { UnusableInput } from './stack-error';

/** Name to folder: the documents that are looked up beside the shipped runbooks. knowledge-rag reads it anew by itself. */
export type KnowledgeList = Readonly<Record<string, string>>;

const FOLDERS_MAX = 50;
const Listed = z.record(Token, z.string());

export const knowledgeListFile = (dataDir: string): string => join(dataDir, 'knowledge.json');

export const knowledgeList = (dataDir: string): KnowledgeList => {
  const parsed = Listed.safeParse(readJson(knowledgeListFile(dataDir)) ?? {});
  if (!parsed.success)
    throw new UnusableInput(`${knowledgeListFile(dataDir)} is damaged; delete it and add the folders again`);
  return parsed.data;
};

const isFolder = (dir: string): boolean => {
  try {
    return statSync(dir).isDirectory();
  } catch {
    return false;
  }
};

/** Adds a folder under a name of its own and returns the name. Throws {@link UnusableInput}. */
export const addKnowledge = (
  dataDir: string,
  path: string,
  wanted?: string,
): { name: string; dir: string } => {
  const dir = resolve(path);
  if (!isFolder(dir)) throw new UnusableInput(`there is no folder ${path}`);
  const name = wanted ?? sourceNameOf(dir);
  if (!Token.safeParse(name).success || name.length > 40)
    throw new UnusableInput(`"${name}" is no name: up to 40 of a-z, 0-9 and hyphens (--name)`);
  const list = knowledgeList(dataDir);
  const other = list[name];
  if (other !== undefined && other !== dir)
    throw new UnusableInput(`${name} is ${other} already; give this folder another name (--name)`);
  if (other === undefined && Object.keys(list).length >= FOLDERS_MAX)
    throw new UnusableInput(`there are ${FOLDERS_MAX} folders already`);
  writePrivateJson(knowledgeListFile(dataDir), { ...list, [name]: dir });
  return { name, dir };
};

export const removeKnowledge = (dataDir: string, name: string): void => {
  const { [name]: dir, ...rest } = knowledgeList(dataDir);
  if (dir === undefined) throw new UnusableInput(`there is no folder of knowledge named ${name}`);
  writePrivateJson(knowledgeListFile(dataDir), rest);
};

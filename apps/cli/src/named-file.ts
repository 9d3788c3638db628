import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from './usage-error';

/** Larger than any bundle that a run within its limits can have. */
const FILE_BYTES_MAX = 512 * 1024 * 1024;
const KEY_BYTES_MAX = 16 * 1024;

const reason = (error: unknown): string => {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EACCES':
    case 'EPERM':
      return 'it may not be used';
    case 'EISDIR':
      return 'it is a folder';
    case 'EEXIST':
      return 'it exists already, and is not overwritten';
    default:
      return (error as Error).message;
  }
};

/** A file that a person named: what is wrong with it is one line for them. */
export const readNamed = (path: string, bytesMax = FILE_BYTES_MAX): Buffer => {
  try {
    const { size } = statSync(path);
    if (size > bytesMax) throw new Error(`it has ${size} bytes, ${bytesMax} at most can be read`);
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path}: ${reason(error)}`);
  }
};

export const readKey = (path: string): string => readNamed(resolve(path), KEY_BYTES_MAX).toString('utf8');

export const readIfThere = (path: string, bytesMax: number): Buffer | undefined =>
  existsSync(path) ? readNamed(path, bytesMax) : undefined;

/** Whole or not at all: nobody finds half a file under its name. */
export const writeNamed = (path: string, content: Uint8Array): void => {
  const unfinished = `${path}.part`;
  try {
    writeFileSync(unfinished, content);
    renameSync(unfinished, path);
  } catch (error) {
    throw new UsageError(`${path}: ${reason(error)}`);
  }
};

/** For what must never replace anything, such as a key. */
export const writeNew = (path: string, content: string, mode: number): void => {
  try {
    writeFileSync(path, content, { flag: 'wx', mode });
  } catch (error) {
    throw new UsageError(`${path}: ${reason(error)}`);
  }
};

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT_PLACE, type RunAs } from './postgres-binaries';

const OWNER_FILE = 'belongs-to';

const canEnter = (dir: string, user: RunAs): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;

const prepare = (dir: string, user: RunAs): string => {
  mkdirSync(dir, { recursive: true });
  if (user) chownSync(dir, user.uid, user.gid);
  chmodSync(dir, 0o700);
  return dir;
};

/** Removes databases whose data folder was deleted: their marker names a file that is gone or another one's. */
const sweep = (): void => {
  for (const id of existsSync(ROOT_PLACE) ? readdirSync(ROOT_PLACE) : []) {
    const owner = join(ROOT_PLACE, id, OWNER_FILE);
    if (!existsSync(owner)) continue;
    const marker = readFileSync(owner, 'utf8').trim();
    const alive = existsSync(marker) && readFileSync(marker, 'utf8').trim() === id;
    if (!alive) rmSync(join(ROOT_PLACE, id), { recursive: true, force: true });
  }
};

/**
 * The folder for the database files, owned by `user`: inside the data folder wherever that user can reach it. Otherwise
 * a folder of its own under /var/lib, named by a marker in the data folder, so that deleting the data folder starts over.
 */
export const postgresHome = (dataDir: string, user: RunAs): string => {
  mkdirSync(dataDir, { recursive: true });
  const marker = join(dataDir, 'postgres.location');
  const inside = join(dataDir, 'postgres');
  if (!existsSync(marker)) {
    prepare(inside, user);
    if (!user || canEnter(inside, user)) return inside;
    rmSync(inside, { recursive: true, force: true });
    sweep();
    writeFileSync(marker, randomUUID());
  }
  const id = readFileSync(marker, 'utf8').trim();
  const home = join(ROOT_PLACE, id);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, OWNER_FILE), marker);
  return prepare(join(home, 'postgres'), user);
};

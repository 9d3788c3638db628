import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../../..');

const sourcesBelow = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return sourcesBelow(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts') ? [path] : [];
  });

/** Times of files are rounded on their way through the system calls. */
const ROUNDING_MS = 2;

/** What somebody edits while the tests run is for the next run. */
const beganAtMs = Date.now() - process.uptime() * 1_000;

const isStale = (source: string, src: string, dist: string): boolean => {
  const built = join(dist, relative(src, source)).replace(/\.ts$/, '.js');
  const changedAtMs = statSync(source).mtimeMs;
  if (changedAtMs > beganAtMs) return false;
  return !existsSync(built) || statSync(built).mtimeMs + ROUNDING_MS < changedAtMs;
};

let known = false;

/** The whole stack runs what was built: tests of yesterday's build would say nothing about today's sources. */
export const assertBuilt = (): void => {
  if (known) return;
  for (const group of ['libs', 'apps']) {
    for (const project of readdirSync(join(root, group))) {
      const [src, dist] = [join(root, group, project, 'src'), join(root, group, project, 'dist')];
      const stale = existsSync(src) && sourcesBelow(src).find((source) => isStale(source, src, dist));
      if (stale)
        throw new Error(`${relative(root, stale)} is newer than its build: run \`npm run build\` first`);
    }
  }
  known = true;
};

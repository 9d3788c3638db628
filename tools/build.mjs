// Transpiles apps/*/src and libs/*/src to dist/ with swc (types are checked apart, by `tsc -b`).
// Only files newer than their output are touched, so that a second start pays a directory walk and nothing else.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const optionsFile = join(root, 'swc.options.json');

const filesBelow = (dir) => {
  let entries;
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((e) => (e.isDirectory() ? filesBelow(join(dir, e.name)) : [join(dir, e.name)]));
};

const mtime = (file) => {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
};

const isCode = (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.spec.ts');

/** Builds what changed; returns the number of files written. */
export const build = async () => {
  const optionsChangedAt = mtime(optionsFile);
  const stale = [];
  for (const group of ['libs', 'apps']) {
    for (const project of readdirSync(join(root, group))) {
      const src = join(root, group, project, 'src');
      const dist = join(root, group, project, 'dist');
      const wanted = new Set();
      for (const file of filesBelow(src)) {
        const code = isCode(file);
        if (!code && (file.endsWith('.ts') || file.includes('/fixtures/'))) continue;
        const out = join(dist, relative(src, file)).replace(/\.ts$/, '.js');
        wanted.add(out).add(`${out}.map`);
        const newest = Math.max(mtime(file), optionsChangedAt);
        if (mtime(out) < newest) stale.push({ file, out, code, newest });
      }
      for (const old of filesBelow(dist)) if (!wanted.has(old)) rmSync(old);
    }
  }
  if (stale.length === 0) return 0;
  const { transformSync } = await import('@swc/core');
  const options = JSON.parse(readFileSync(optionsFile, 'utf8'));
  delete options.$schema;
  for (const { file, out, code, newest } of stale) {
    mkdirSync(dirname(out), { recursive: true });
    if (code) {
      const { code: js, map } = transformSync(readFileSync(file, 'utf8'), {
        ...options,
        swcrc: false,
        filename: file,
      });
      writeFileSync(`${out}.map`, map);
      writeFileSync(out, `${js}\n//# sourceMappingURL=${out.slice(out.lastIndexOf('/') + 1)}.map\n`);
    } else {
      writeFileSync(out, readFileSync(file));
    }
    utimesSync(out, new Date(), new Date(Math.ceil(newest) + 1));
  }
  return stale.length;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const startedAt = performance.now();
  const written = await build();
  process.stdout.write(`built ${written} files in ${Math.round(performance.now() - startedAt)} ms\n`);
}

// Reads the git history of openspec/changes and refuses a wrong order of changes.
// Exit code 0: the order holds; 1: it does not, or (strict) there is no history; 3: skipped, there is no history.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './bootstrap.mjs';
import changeOrder from './change-order.cjs';

const git = (...args) => {
  const { status, stdout } = spawnSync('git', ['-c', 'core.quotePath=false', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return status === 0 ? stdout.trim() : undefined;
};

/** Why the history cannot be judged; undefined when it can. */
const missingHistory = () => {
  const top = git('rev-parse', '--show-toplevel');
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return 'this is no git working copy';
  if (git('rev-parse', '--verify', '--quiet', 'HEAD') === undefined) return 'there is no commit yet';
  if (git('rev-parse', '--is-shallow-repository') === 'true')
    return 'the clone is shallow (fetch the full history)';
  return undefined;
};

const readCommits = () =>
  (
    git(
      'log',
      '--reverse',
      '--topo-order',
      '--no-renames',
      '--name-status',
      '--format=%x00%h %s',
      '--',
      'openspec/changes',
    ) ?? ''
  )
    .split('\0')
    .filter((text) => text.trim() !== '')
    .map((text) => {
      const [title, ...lines] = text.split('\n');
      const paths = (status) =>
        lines.flatMap((line) => (line.startsWith(`${status}\t`) ? [line.slice(status.length + 1)] : []));
      return { id: title, added: paths('A'), removed: paths('D') };
    });

const filesBelow = (dir) =>
  existsSync(dir)
    ? readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? filesBelow(join(dir, entry.name)) : [join(dir, entry.name)],
      )
    : [];

/** What is not committed yet is judged as if it were the next commit. */
const workingTree = () => {
  const committed = new Set(
    (git('ls-tree', '-r', '--name-only', 'HEAD', 'openspec/changes') ?? '').split('\n').filter(Boolean),
  );
  const present = new Set(
    filesBelow(join(root, 'openspec/changes')).map((file) => relative(root, file).replaceAll('\\', '/')),
  );
  return {
    id: 'working tree',
    added: [...present].filter((path) => !committed.has(path)),
    removed: [...committed].filter((path) => !present.has(path)),
  };
};

/** plan.md first, then later plans (plan-2.md, ...), each strictly after the one before. */
const readPlans = () =>
  readdirSync(join(root, 'openspec'))
    .filter((name) => /^plan(-\d+)?\.md$/.test(name))
    .sort((a, b) => Number(a.match(/\d+/)?.[0] ?? 1) - Number(b.match(/\d+/)?.[0] ?? 1))
    .flatMap((name) => changeOrder.readPlan(readFileSync(join(root, 'openspec', name), 'utf8')));

const main = () => {
  const strict = process.argv.includes('--strict') || process.env.CI === 'true';
  const missing = missingHistory();
  if (missing !== undefined) {
    process.stdout.write(`order of changes not checked: ${missing}\n`);
    return strict ? 1 : 3;
  }
  const violations = changeOrder.changeOrderViolations(readPlans(), [...readCommits(), workingTree()]);
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  if (violations.length === 0) process.stdout.write('the order of changes holds\n');
  return violations.length === 0 ? 0 : 1;
};

process.exitCode = main();

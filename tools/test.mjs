// `npm test`: everything that must hold, on a bare machine. One line per step; the last line is the verdict.
//
//   npm test                   all checks and all tests
//   npm test -- H4             the tests named H4
//   npm test -- libs/event-log the tests below that path
//   npm test -- --deep         the long tests (*.deep.spec.ts) as well
//
// Plain Node without imports from node_modules at the top: they may not be installed yet.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBuilt, ensureInstalled, ensureNatsServer, root, runQuietly } from './bootstrap.mjs';

const totals = { passed: 0, failed: 0, skipped: 0 };
const say = (line) => process.stdout.write(`${line}\n`);
const bin = (name) => join(root, 'node_modules', '.bin', name);
/** Read late: preparing may have put a nats-server on PATH. */
const quietEnv = () => ({ ...process.env, OPENSPEC_TELEMETRY: '0', NX_DAEMON: 'false', FORCE_COLOR: '0' });

/** Runs one step, prints its line and counts it. `work` answers {ok, detail?, skipped?}, or throws. */
const step = async (name, work) => {
  const startedAt = performance.now();
  const { ok, detail = '', skipped } = await work().catch((error) => ({ ok: false, detail: error.message }));
  const state = skipped ? 'skip' : ok ? 'ok  ' : 'FAIL';
  say(
    `${state} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)${skipped ? `: ${detail}` : ''}`,
  );
  if (!ok && !skipped) say(detail);
  totals[skipped ? 'skipped' : ok ? 'passed' : 'failed'] += 1;
  return ok;
};

const command = (file, args) => async () => {
  const { code, output } = await runQuietly(file, args, { env: quietEnv() });
  return { ok: code === 0, detail: output.trim() };
};

const openspec = async () => {
  for (const args of [
    ['validate', '--all', '--strict', '--no-interactive'],
    ['validate', '--archived', '--no-interactive'],
  ]) {
    const result = await command(bin('openspec'), args)();
    if (!result.ok) return result;
  }
  return { ok: true };
};

/** Exit code 3 of the order check: there is no history to read. */
const changeOrder = async () => {
  const { code, output } = await runQuietly(process.execPath, ['tools/check-change-order.mjs'], {
    env: quietEnv,
  });
  return { ok: code === 0, skipped: code === 3, detail: output.trim() };
};

const prepare = async () =>
  (await step('packages installed', async () => ({ ok: true, detail: await ensureInstalled(say) }))) &&
  (await step('built', async () => ({ ok: true, detail: await ensureBuilt() }))) &&
  (await step('nats-server found', async () => ({ ok: true, detail: await ensureNatsServer(say) })));

const CHECKS = [
  ['types (tsc -b)', command(bin('tsc'), ['-b'])],
  ['lint (eslint)', command(bin('eslint'), ['.', '--max-warnings', '0'])],
  ['dependency rules', command(bin('depcruise'), ['apps', 'libs', '--config', '.dependency-cruiser.cjs'])],
  ['format (prettier)', command(bin('prettier'), ['--check', '.', '--log-level', 'warn'])],
  ['specifications (openspec)', openspec],
  ['order of changes (git history)', changeOrder],
];

/** Two at a time: each check is a process of its own, and two cores are what we count on. */
const runChecks = async () => {
  const waiting = [...CHECKS];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await step(...next);
  };
  await Promise.all([worker(), worker()]);
};

const OWN_TIERS = ['int', 'contract', 'e2e', 'deep'];
const glob = (tail) => `<rootDir>/{apps,libs,test}/**/${tail}`;

/** The tiers that start servers run one file after the other, so that deadlines mean the same on a small machine. */
const TIERS = [
  {
    name: 'unit tests',
    match: [glob('*.spec.ts'), ...OWN_TIERS.map((tier) => `!**/*.${tier}.spec.ts`)],
    args: ['--maxWorkers', '2'],
  },
  {
    name: 'integration and contract tests',
    match: [glob('*.int.spec.ts'), glob('*.contract.spec.ts')],
    args: ['-w', '2'],
  },
  { name: 'whole-stack tests', match: [glob('*.e2e.spec.ts')], args: ['--runInBand'] },
];
const DEEP = { name: 'long tests', match: [glob('*.deep.spec.ts')], args: ['--runInBand'] };
const ANY = { name: 'selected tests', match: [glob('*.spec.ts')], args: ['--maxWorkers', '2'] };

const jest = (args, env) =>
  new Promise((resolve) => {
    const child = spawn(bin('jest'), args, { cwd: root, stdio: ['ignore', 'inherit', 'pipe'], env });
    const complaints = [];
    child.stderr.on('data', (chunk) => complaints.push(chunk));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(complaints).toString('utf8') }),
    );
  });

/** Runs the tests of one tier and adds them to the totals; `only` = further jest arguments. */
const runTier = async ({ name, match, args }, { only = [], byName = false } = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'inquest-jest-'));
  const summaryFile = join(dir, 'summary.json');
  const config = JSON.stringify({
    ...(await import('../jest.config.cjs')).default,
    testMatch: match,
    reporters: [[join(root, 'tools/jest-reporter.cjs'), { summaryFile, byName }]],
  });
  const startedAt = performance.now();
  say(`     ${name} ...`);
  const { code, output } = await jest(
    ['--config', config, '--passWithNoTests', ...args, ...only],
    quietEnv(),
  );
  const summary = existsSync(summaryFile) ? JSON.parse(readFileSync(summaryFile, 'utf8')) : undefined;
  rmSync(dir, { recursive: true, force: true });
  for (const key of Object.keys(totals)) totals[key] += summary?.[key] ?? 0;
  // jest may fail without a failed test: it did not start, or was killed.
  if (code !== 0 && !summary?.failed) totals.failed += 1;
  if (code !== 0 && !summary?.failed) say(output.slice(-4000));
  if (byName && summary && summary.passed + summary.failed === 0) {
    totals.failed += 1;
    say('FAIL no test carries that name');
  }
  const counts = summary ? `${summary.passed} passed, ${summary.failed} failed` : 'no summary';
  say(
    `${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s): ${counts}`,
  );
};

const specFiles = (dir) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : specFiles(path);
    return entry.name.endsWith('.spec.ts') ? [path] : [];
  });

/** A name such as H4 selects the tests that carry it as a whole word; only files that mention it are loaded. */
const runByName = async (name) => {
  const pattern = `\\b${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\b`;
  const files = ['apps', 'libs', 'test']
    .flatMap((dir) => specFiles(join(root, dir)))
    .filter((file) => new RegExp(pattern).test(readFileSync(file, 'utf8')))
    .map((file) => relative(root, file));
  if (files.length === 0) {
    say(`FAIL no test mentions ${name}`);
    totals.failed += 1;
    return;
  }
  await runTier(ANY, { only: ['--testNamePattern', pattern, '--runTestsByPath', ...files], byName: true });
};

const main = async (args) => {
  const filters = args.filter((arg) => !arg.startsWith('-'));
  const unknown = args.filter((arg) => arg.startsWith('-') && arg !== '--deep');
  if (unknown.length > 0) {
    say(`unknown option ${unknown.join(' ')}; usage: npm test -- [--deep] [H4 | path]`);
    totals.failed += 1;
    return;
  }
  if (!(await prepare())) return;
  for (const filter of filters) {
    if (existsSync(join(root, filter))) await runTier(ANY, { only: ['--testPathPatterns', filter] });
    else await runByName(filter);
  }
  if (filters.length > 0) return;
  await runChecks();
  for (const tier of args.includes('--deep') ? [...TIERS, DEEP] : TIERS) await runTier(tier);
};

await main(process.argv.slice(2));
say(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`,
);
process.exitCode = totals.failed > 0 ? 1 : 0;

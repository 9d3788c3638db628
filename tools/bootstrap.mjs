// What every command needs before it can start: the packages, the build; for tests, a NATS server.
// Plain Node without imports from node_modules, because this runs before they exist.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A machine that cannot run Inquest; the message says in one line what to do about it. */
export class BootstrapError extends Error {
  constructor(message) {
    super(message);
    this.name = 'BootstrapError';
  }
}

const NODE_MIN = [20, 19];
const lockFile = join(root, 'package-lock.json');
const stampFile = join(root, 'node_modules', '.inquest-installed');
const npmsOwnLock = join(root, 'node_modules', '.package-lock.json');

export const checkNode = (version = process.versions.node) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new BootstrapError(
    `Inquest needs Node >= ${NODE_MIN.join('.')}; this is ${version}. Install a newer Node.`,
  );
};

/**
 * Runs a command and shows its output only when it fails: progress belongs to the caller.
 * @returns the exit code and the joined output
 */
export const runQuietly = (command, args, options = {}) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });

const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

const isInstalled = (wanted) => {
  if (existsSync(stampFile)) return readFileSync(stampFile, 'utf8').trim() === wanted;
  // Installed by hand: npm's own copy of the lock is written at the end of an install.
  return existsSync(npmsOwnLock) && statSync(npmsOwnLock).mtimeMs >= statSync(lockFile).mtimeMs;
};

/**
 * Checks the Node version and runs `npm ci` when node_modules is missing or belongs to another lock file.
 * @param {(line: string) => void} say progress, one line at a time
 * @returns whether anything was installed
 */
export const ensureInstalled = async (say = () => {}) => {
  checkNode();
  const wanted = digest(lockFile);
  if (isInstalled(wanted)) {
    if (!existsSync(stampFile)) writeFileSync(stampFile, `${wanted}\n`);
    return false;
  }
  say('installing packages (npm ci) ...');
  const { code, output } = await runQuietly('npm', ['ci', '--no-audit', '--no-fund'], {
    env: { ...process.env, npm_config_update_notifier: 'false' },
  });
  if (code !== 0) throw new BootstrapError(`npm ci failed (exit ${code}):\n${output.slice(-4000)}`);
  writeFileSync(stampFile, `${wanted}\n`);
  return true;
};

/**
 * Builds what changed to apps/*\/dist and libs/*\/dist.
 * @returns the number of files written
 */
export const ensureBuilt = async () => {
  const { build } = await import('./build.mjs');
  return build();
};

/**
 * Finds a nats-server, or fetches or installs one as @inquest/local-stack knows how to, and puts it on PATH for our
 * children. Call it after `ensureBuilt`.
 * @returns the absolute path of the binary
 */
export const ensureNatsServer = async (say = () => {}) => {
  const { findNatsServer } = createRequire(import.meta.url)('../libs/local-stack/dist/nats-binary.js');
  const path = process.env.PATH ?? '';
  try {
    const binary = await findNatsServer({ configured: process.env.NATS_SERVER_BIN, path, note: say });
    process.env.PATH = [dirname(binary), path].filter(Boolean).join(delimiter);
    return binary;
  } catch (error) {
    throw new BootstrapError(error.message);
  }
};

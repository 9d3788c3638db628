import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PROJECT_ROOT } from './project-root';
import { StackError, UnusableInput } from './stack-error';

/** The release that is fetched where no nats-server is installed. */
export const NATS_VERSION = '2.10.27';
const RELEASES = `https://github.com/nats-io/nats-server/releases/download/v${NATS_VERSION}`;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const ARCHIVE_BYTES_MAX = 32 * 1024 * 1024;

const HOW_TO_INSTALL = [
  'no nats-server was found. Any one of these helps:',
  '  install it: apt-get install nats-server (Debian, as root) or brew install nats-server (macOS)',
  '  name one that is there: NATS_SERVER_BIN=/path/to/nats-server',
  '  use a running one with JetStream: NATS_URL=nats://host:4222',
].join('\n');

export type NatsBinarySource = {
  /** NATS_SERVER_BIN. */
  configured?: string;
  /** The value of PATH. */
  path: string;
  /** The project's own folder for binaries. */
  cacheDir?: string;
  /** False: look only, install nothing. */
  install?: boolean;
  note?: (line: string) => void;
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Debian puts daemons into /usr/sbin, which a user's PATH often lacks. */
const onPath = (path: string): string | undefined =>
  [...path.split(delimiter), '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']
    .filter((dir) => dir !== '')
    .map((dir) => join(dir, 'nats-server'))
    .find(isExecutable);

/** The archive of a release for a platform, as its publisher names it; `undefined` where there is none. */
export const archiveName = (platform: string, arch: string): string | undefined => {
  const system = ({ linux: 'linux', darwin: 'darwin' } as Record<string, string>)[platform];
  const machine = ({ x64: 'amd64', arm64: 'arm64' } as Record<string, string>)[arch];
  return system && machine ? `nats-server-v${NATS_VERSION}-${system}-${machine}.tar.gz` : undefined;
};

/** The checksum of one file in a `SHA256SUMS` listing. */
export const checksumIn = (sums: string, file: string): string | undefined =>
  sums
    .split('\n')
    .map((line) => /^([0-9a-f]{64})\s+\*?(\S+)$/.exec(line.trim()))
    .find((match) => match?.[2] === file)?.[1];

const fetchBytes = async (url: string): Promise<Buffer> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > ARCHIVE_BYTES_MAX) throw new Error(`${url} is larger than ${ARCHIVE_BYTES_MAX} bytes`);
  return bytes;
};

/** Fetches the pinned release and checks it against the checksums that its publisher lists beside it. */
const download = async (cacheDir: string, note: (line: string) => void): Promise<string | undefined> => {
  const archive = archiveName(process.platform, process.arch);
  if (!archive) return undefined;
  try {
    note(`fetching nats-server ${NATS_VERSION}`);
    const sums = (await fetchBytes(`${RELEASES}/SHA256SUMS`)).toString('utf8');
    const bytes = await fetchBytes(`${RELEASES}/${archive}`);
    const expected = checksumIn(sums, archive);
    const actual = createHash('sha256').update(bytes).digest('hex');
    if (actual !== expected)
      throw new Error(`${archive} has checksum ${actual}, its publisher says ${expected}`);
    mkdirSync(cacheDir, { recursive: true });
    const file = join(cacheDir, archive);
    writeFileSync(file, bytes);
    execFileSync('tar', ['-xzf', file, '-C', cacheDir, '--strip-components', '1']);
    const target = join(cacheDir, `nats-server-${NATS_VERSION}`);
    renameSync(join(cacheDir, 'nats-server'), target);
    chmodSync(target, 0o755);
    return target;
  } catch (error) {
    note(`nats-server could not be fetched: ${(error as Error).message}`);
    return undefined;
  }
};

const installByApt = (note: (line: string) => void): boolean => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return false;
  note('installing nats-server by apt-get');
  const apt = (...args: string[]) =>
    spawnSync('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], {
      stdio: 'ignore',
      timeout: 180_000,
    });
  if (apt('install', '-y', 'nats-server').status === 0) return true;
  apt('update');
  return apt('install', '-y', 'nats-server').status === 0;
};

/**
 * Finds a nats-server, in this order: the configured one, PATH, the project's cache, the pinned release, apt.
 * There is no fall-back to memory: without a server this is a {@link StackError} that says what to do.
 */
export const findNatsServer = async (source: NatsBinarySource): Promise<string> => {
  const {
    configured,
    path,
    cacheDir = join(PROJECT_ROOT, '.inquest/bin'),
    install = true,
    note = () => undefined,
  } = source;
  if (configured !== undefined) {
    if (isExecutable(configured)) return configured;
    throw new UnusableInput(`NATS_SERVER_BIN names ${configured}, which is no executable file`);
  }
  const cached = join(cacheDir, `nats-server-${NATS_VERSION}`);
  const found = onPath(path) ?? (isExecutable(cached) ? cached : undefined);
  if (found) return found;
  const installed = install
    ? ((await download(cacheDir, note)) ?? (installByApt(note) ? onPath(path) : undefined))
    : undefined;
  if (installed) return installed;
  throw new StackError(HOW_TO_INSTALL);
};

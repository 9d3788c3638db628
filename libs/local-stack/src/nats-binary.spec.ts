import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NATS_VERSION, archiveName, checksumIn, findNatsServer } from './nats-binary';

describe('finding a nats-server', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-bin-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const executable = (name: string): string => {
    const file = join(dir, name);
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o755);
    return file;
  };

  it('takes the configured one before any other', async () => {
    const mine = executable('mine');
    executable('nats-server');
    expect(await findNatsServer({ configured: mine, path: dir })).toBe(mine);
  });

  it('refuses a configured one that cannot be executed instead of taking another', async () => {
    await expect(findNatsServer({ configured: join(dir, 'none'), path: dir })).rejects.toThrow(
      /NATS_SERVER_BIN names/,
    );
  });

  it('takes the one on PATH before the cached one', async () => {
    const onPath = executable('nats-server');
    executable(`nats-server-${NATS_VERSION}`);
    expect(await findNatsServer({ path: dir, cacheDir: dir })).toBe(onPath);
  });

  it('knows the archives of Linux and macOS on both architectures, and no others', () => {
    expect(archiveName('linux', 'x64')).toBe(`nats-server-v${NATS_VERSION}-linux-amd64.tar.gz`);
    expect(archiveName('darwin', 'arm64')).toBe(`nats-server-v${NATS_VERSION}-darwin-arm64.tar.gz`);
    expect(archiveName('sunos', 'x64')).toBeUndefined();
    expect(archiveName('linux', 'mips')).toBeUndefined();
  });

  it('reads a checksum list by exact file name', () => {
    const sums = `${'a'.repeat(64)}  x.tar.gz.sig\n${'b'.repeat(64)} *x.tar.gz\n`;
    expect(checksumIn(sums, 'x.tar.gz')).toBe('b'.repeat(64));
    expect(checksumIn(sums, 'y.tar.gz')).toBeUndefined();
  });
});

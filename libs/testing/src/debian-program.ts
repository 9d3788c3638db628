import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const onPath = (program: string): boolean => spawnSync('which', [program], { stdio: 'ignore' }).status === 0;

const apt = (...args: string[]): boolean =>
  spawnSync('env', ['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], {
    stdio: 'ignore',
    timeout: 240_000,
  }).status === 0;

/**
 * Whether these programs can be run here. On Debian, as root, a missing one is installed from its package; services that
 * the package would start are kept from it. Elsewhere the caller skips, visibly.
 */
export const haveDebianPrograms = (packageName: string, programs: readonly string[]): boolean => {
  const present = () => programs.every(onPath);
  if (present()) return true;
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return false;
  const install = () =>
    apt('-o', 'Dpkg::Options::=--force-confnew', 'install', '-y', '--no-install-recommends', packageName);
  if (!install()) {
    apt('update');
    install();
  }
  // The package may have started its service with a configuration of its own; ours brings its own port and folder.
  spawnSync('service', [packageName, 'stop'], { stdio: 'ignore' });
  return present();
};

import { haveDebianPrograms } from './debian-program';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Test data that stands beside the project; it is never copied in. */
export const sharedData = (...path: string[]): string => join(__dirname, '../../../../shared/data', ...path);

/** `describe` where the data is there, a visibly skipped one where it is not. */
export const describeWith = (path: string): jest.Describe => (existsSync(path) ? describe : describe.skip);

/** `describe` where programs of a Debian package are there, and a visible skip that says how to get them elsewhere. */
export const describeWithDebian = (
  packageName: string,
  programs: readonly string[],
): ((name: string, body: () => void) => void) =>
  haveDebianPrograms(packageName, programs)
    ? (name, body) => describe(name, body)
    : (name, body) =>
        describe.skip(`${name} (needs ${programs.join(', ')}: apt-get install ${packageName})`, body);

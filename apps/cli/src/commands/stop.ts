import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stackConfig } from '@inquest/local-stack/config';
import { stopStack } from '@inquest/local-stack/stack';
import type { Command } from '../command';
import { ExitCode } from '../exit-code';

/** Stacks that single runs started for incidents of their own. */
const privateFolders = (dataDir: string): string[] => {
  const base = join(dataDir, 'private');
  return existsSync(base) ? readdirSync(base).map((name) => join(base, name)) : [];
};

export const stop: Command = {
  name: 'stop',
  usage: '',
  summary: 'Stop everything that runs on this data folder, left-overs of a crash too.',
  options: {},
  optionHelp: {},
  examples: ['stop', 'stop --json'],
  positionalsMax: 0,
  run: async ({ out }) => {
    const { dataDir } = stackConfig();
    const folders = existsSync(dataDir) ? [dataDir, ...privateFolders(dataDir)] : [];
    const results = await Promise.all(folders.map((folder) => stopStack(folder)));
    const stopped = results.includes('STOPPED');
    out.lines(stopped ? 'stopped' : 'nothing was running');
    out.result({ stopped });
    return ExitCode.success;
  },
};

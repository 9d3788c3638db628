import { stackConfig } from '@inquest/local-stack/config';
import { runningStack } from '@inquest/local-stack/stack-state';
import type { Command } from '../command';
import { ExitCode } from '../exit-code';

export const token: Command = {
  name: 'token',
  usage: '',
  summary: 'Print the local operator’s bearer token of the running stack, for curl and scripts.',
  options: {},
  optionHelp: {},
  examples: ['token', 'token --json'],
  positionalsMax: 0,
  run: ({ out }) => {
    const running = runningStack(stackConfig().dataDir);
    if (!running) {
      out.note('nothing runs: npm start');
      return Promise.resolve(ExitCode.trouble);
    }
    if (!out.json) out.lines(running.token);
    out.result({ url: running.gatewayUrl, token: running.token });
    return Promise.resolve(ExitCode.success);
  },
};

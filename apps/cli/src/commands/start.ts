import { relative } from 'node:path';
import { typedCommand } from '@inquest/contracts/typed-command';
import { incidentFolder } from '@inquest/local-stack/incident-sources';
import { textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { startEmbedded } from '../gateway-access';
import { table } from '../render/text';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    // A pending promise keeps no process alive; the supervisor's children do, but a stack may have none of its own.
    const alive = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });

const run = async (call: Call): Promise<ExitCode> => {
  const { out, interrupt } = call;
  const path = textOption(call.options, 'incident');
  const access = await startEmbedded(call, path === undefined ? undefined : incidentFolder(path));
  const { stack } = access;
  if (!stack) return ExitCode.trouble;
  out.lines(
    '',
    `Inquest is ${out.style.good('ready')} at ${out.style.bold(stack.gatewayUrl)}`,
    '',
    ...table([
      ['  sources', Object.keys(stack.sources).join(', ') || 'none'],
      [
        '  author',
        stack.author.startsWith('rules-') ? `${stack.author} (rules, no language model)` : stack.author,
      ],
      ['  data, logs', relative(process.cwd(), stack.dataDir) || '.'],
      ['  try', 'npm run diagnose'],
      ['  API token', typedCommand('token')],
    ]),
    '',
  );
  out.result({
    gatewayUrl: stack.gatewayUrl,
    dataDir: stack.dataDir,
    sources: Object.keys(stack.sources),
    owned: stack.owned,
  });
  if (!stack.owned) {
    out.lines('It was running already; npm run stop stops it.');
    await access.close();
    return ExitCode.success;
  }
  out.lines('Ctrl-C stops everything.');
  await untilAborted(interrupt);
  out.note('stopping ...');
  await access.close();
  return ExitCode.success;
};

export const start: Command = {
  name: 'start',
  usage: '',
  summary: 'Start NATS, Postgres and all services, and keep them up until Ctrl-C.',
  options: { incident: { type: 'string' } },
  optionHelp: { incident: 'register this incident folder as a further source' },
  examples: ['start', 'start --incident ./my-incident', 'start --json &'],
  positionalsMax: 0,
  run,
};

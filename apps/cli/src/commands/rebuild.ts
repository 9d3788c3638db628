import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { stackConfig } from '@inquest/local-stack/config';
import { PROJECT_ROOT } from '@inquest/local-stack/project-root';
import { StackError } from '@inquest/local-stack/stack-error';
import { runningStack } from '@inquest/local-stack/stack-state';
import type { Call, Command } from '../command';
import { ExitCode } from '../exit-code';

const PROGRAM = join(PROJECT_ROOT, 'apps/run-projector/dist/rebuild.main.js');

/** Where log and read model are: the running stack's, else what the environment names. */
const places = (): { NATS_URL: string; DATABASE_URL: string } => {
  const config = stackConfig();
  const running = runningStack(config.dataDir);
  const natsUrl = running?.natsUrl ?? config.natsUrl;
  const databaseUrl = running?.databaseUrl ?? config.databaseUrl;
  if (natsUrl === undefined || databaseUrl === undefined)
    throw new StackError(
      'nothing runs here: npm start, or name log and read model by NATS_URL and DATABASE_URL',
    );
  return { NATS_URL: natsUrl, DATABASE_URL: databaseUrl };
};

/** The projector's own program does it, so that only the projector knows how rows are made. */
const run = async ({ out }: Call): Promise<ExitCode> => {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: stackConfig().path, ...places() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new StackError('the read model was not rebuilt; its tables are as they were');
  const messages = Number(/\d+/.exec(text)?.[0] ?? 0);
  out.lines(`rebuilt the read model from ${messages} messages`);
  out.result({ messages });
  return ExitCode.success;
};

export const rebuild: Command = {
  name: 'rebuild',
  usage: '',
  summary: 'Project the log into Postgres from its beginning, and swap the tables in.',
  details: [
    'For a read model that was lost, or whose checkpoint does not fit the log. Runs that the log no longer holds are kept',
    'as they are, erased ones stay erased. The projector may go on working meanwhile.',
  ],
  options: {},
  optionHelp: {},
  examples: ['rebuild'],
  positionalsMax: 0,
  run,
};

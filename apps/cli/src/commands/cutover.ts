import { userInfo } from 'node:os';
import type { CutOver } from '@inquest/contracts/platform-facts';
import { stackConfig } from '@inquest/local-stack/config';
import { operateCutOver } from '@inquest/local-stack/provision-log';
import { StackError } from '@inquest/local-stack/stack-error';
import { runningStack } from '@inquest/local-stack/stack-state';
import type { Call, Command } from '../command';
import { ExitCode } from '../exit-code';
import { UsageError } from '../usage-error';

const ACTIONS = { status: 'look', rollback: 'roll-back' } as const;

const describe = (fact: CutOver | undefined): string => {
  if (!fact) return 'never cut over: the entry answers on the old path, or 503 where none is configured';
  if (fact.kind === 'ROLLED_BACK')
    return `rolled back at ${fact.at} by ${fact.by}: the entry answers on the old path`;
  return `cut over at ${fact.at} by ${fact.by}: contract ${fact.contractVersion}, rule set ${fact.ruleSet}`;
};

const operatorUrl = (): string => {
  const config = stackConfig();
  const url = runningStack(config.dataDir)?.natsUrl ?? config.natsUrl;
  if (url === undefined)
    throw new StackError('nothing runs here: npm start, or name the broker by NATS_URL (as its operator)');
  return url;
};

const run = async ({ positionals, out }: Call): Promise<ExitCode> => {
  const [word] = positionals;
  if (word !== undefined && !Object.hasOwn(ACTIONS, word))
    throw new UsageError(`cutover knows rollback and status, not "${word}"`);
  const action = word === undefined ? 'cut-over' : ACTIONS[word as keyof typeof ACTIONS];
  const fact = await operateCutOver(operatorUrl(), action, userInfo().username);
  out.lines(describe(fact));
  out.result(fact ?? null);
  return ExitCode.success;
};

export const cutover: Command = {
  name: 'cutover',
  usage: '[rollback | status]',
  summary: 'Switch the public entry to the guarded path, or back to the old one.',
  details: [
    'The switch is a durable fact. After it nothing but a rollback opens the old path again: a missing or unhealthy guard',
    'answers 503. The embedded stack cuts over by itself at its first healthy start.',
  ],
  options: {},
  optionHelp: {},
  examples: ['cutover status', 'cutover', 'cutover rollback'],
  positionalsMax: 1,
  run,
};

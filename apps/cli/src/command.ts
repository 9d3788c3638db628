import { parseArgs, type ParseArgsConfig } from 'node:util';
import { typedCommand } from '@inquest/contracts/typed-command';
import type { CliConfig } from './config';
import type { ExitCode } from './exit-code';
import type { Output } from './output';
import { UsageError } from './usage-error';

export type OptionTable = NonNullable<ParseArgsConfig['options']>;
export type OptionValues = Record<string, string | boolean | undefined>;

export type Call = {
  options: OptionValues;
  positionals: string[];
  config: CliConfig;
  out: Output;
  /** Aborts at the first Ctrl-C (or SIGTERM): end in order. */
  interrupt: AbortSignal;
  /** Aborts at the second one: no more waiting for others. */
  insist: AbortSignal;
};

/** One command of `inquest`: everything that its help and its parsing need, in one place. */
export type Command = {
  name: string;
  /** What follows the name, e.g. `[question]`. */
  usage: string;
  summary: string;
  /** Paragraphs that say more than the summary. */
  details?: readonly string[];
  options: OptionTable;
  /** Option name to its line of help. */
  optionHelp: Readonly<Record<string, string>>;
  examples: readonly string[];
  positionalsMax: number;
  run: (call: Call) => Promise<ExitCode>;
};

export const COMMON_OPTIONS: OptionTable = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
};
export const COMMON_HELP = {
  json: 'print one JSON line on stdout, everything else on stderr',
  help: 'show this',
};

/** For commands that talk to a gateway. */
export const GATEWAY_OPTIONS: OptionTable = { url: { type: 'string' }, token: { type: 'string' } };
export const GATEWAY_HELP = {
  url: 'a gateway that runs elsewhere (or INQUEST_URL)',
  token: 'its bearer token (better: INQUEST_TOKEN, which no process list shows)',
};

/** Parses what follows the command's name; anything unknown is one line for the person. */
export const parseCall = (
  command: Command,
  args: string[],
): { options: OptionValues; positionals: string[] } => {
  const options = { ...COMMON_OPTIONS, ...command.options };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (positionals.length > command.positionalsMax) {
      const extra = positionals[command.positionalsMax] ?? '';
      throw new UsageError(
        `${command.name} does not know what to do with "${extra}"; a question of several words needs quotes`,
      );
    }
    return { options: values as OptionValues, positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The parser explains at length how to pass an argument that starts with a dash: its first sentence is enough.
    const first = (error as Error).message.split(/\. |\n/)[0] ?? '';
    throw new UsageError(`${first.replace(/\.$/, '')}; see ${typedCommand(`${command.name} --help`)}`);
  }
};

export const textOption = (options: OptionValues, name: string): string | undefined => {
  const value = options[name];
  if (value === '') throw new UsageError(`--${name} must not be empty`);
  return typeof value === 'string' ? value : undefined;
};

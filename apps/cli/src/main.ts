import { typedCommand } from '@inquest/contracts/typed-command';
import { StackError, UnusableInput } from '@inquest/local-stack/stack-error';
import { parseCall, type Command } from './command';
import { COMMANDS } from './commands';
import { cliConfig } from './config';
import { ExitCode } from './exit-code';
import { GatewayRefusal, GatewayUnreachable } from './gateway-client';
import { commandHelp, overview } from './help';
import { Output } from './output';
import { UsageError } from './usage-error';

/** Requests that are wrong in themselves; the same words would be refused again. */
const BAD_INPUT: readonly number[] = [400, 404, 413, 422];

const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

/** First Ctrl-C: end in order; second: wait for nobody; third: leave at once. */
const signals = (): { interrupt: AbortSignal; insist: AbortSignal } => {
  const stages = [new AbortController(), new AbortController()] as const;
  let heard = 0;
  const hear = () => {
    const stage = stages[heard];
    heard += 1;
    if (stage) stage.abort(new Error('interrupted'));
    else process.exit(ExitCode.interrupted);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, hear);
  return { interrupt: stages[0].signal, insist: stages[1].signal };
};

const exitCodeFor = (error: unknown, interrupted: boolean): ExitCode => {
  if (error instanceof UsageError || error instanceof UnusableInput) return ExitCode.badInput;
  if (error instanceof GatewayRefusal && BAD_INPUT.includes(error.problem.status)) return ExitCode.badInput;
  return interrupted ? ExitCode.interrupted : ExitCode.trouble;
};

/** What a person reads; a stack trace is for what nobody foresaw. */
const messageOf = (error: unknown, interrupted: boolean): string => {
  if (interrupted && !(error instanceof GatewayRefusal)) return 'interrupted';
  const known = [UsageError, GatewayRefusal, GatewayUnreachable, StackError].some(
    (kind) => error instanceof kind,
  );
  if (known) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

const execute = async (command: Command, args: string[]): Promise<ExitCode> => {
  const { interrupt, insist } = signals();
  try {
    const { options, positionals } = parseCall(command, args);
    if (options['help'] === true) {
      print(commandHelp(command));
      return ExitCode.success;
    }
    const config = cliConfig();
    const out = new Output(process.stdout, process.stderr, options['json'] === true, config.colour);
    return await command.run({ options, positionals, config, out, interrupt, insist });
  } catch (error) {
    process.stderr.write(`inquest: ${messageOf(error, interrupt.aborted)}\n`);
    return exitCodeFor(error, interrupt.aborted);
  }
};

const main = async ([name, ...args]: string[]): Promise<ExitCode> => {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const wanted = COMMANDS.find((command) => command.name === args[0]);
    print(wanted ? commandHelp(wanted) : overview(COMMANDS));
    return ExitCode.success;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command) return execute(command, args);
  process.stderr.write(`inquest: there is no command "${name}"; this lists them: ${typedCommand('help')}\n`);
  return ExitCode.badInput;
};

// A reader that closes early (head, less) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  // Whatever a library left open must not keep a finished command alive; what was written is flushed first.
  process.stdout.write('', () => process.exit(code));
});

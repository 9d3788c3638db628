import { RunId } from '@inquest/contracts/ids';
import { typedCommand } from '@inquest/contracts/typed-command';
import { showEnding, showProgress } from '../ask-and-show';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import type { GatewayClient } from '../gateway-client';
import { drawRunList } from '../render/run-list';
import { UsageError } from '../usage-error';
import { endedRun } from '../watch-run';

export const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export const runIdFrom = (text: string | undefined, usage: string): string => {
  if (text === undefined) throw new UsageError(`the run id is missing: ${usage}`);
  if (!RunId.safeParse(text).success)
    throw new UsageError(`"${text}" is no run id; this shows them: ${typedCommand('runs list')}`);
  return text;
};

export const limitFrom = (text: string | undefined): number => {
  const limit = text === undefined ? LIMIT_DEFAULT : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new UsageError(`--limit takes 1 to ${LIMIT_MAX}`);
  return limit;
};

const list = (call: Call): Promise<ExitCode> => {
  const query = {
    sessionId: textOption(call.options, 'session'),
    limit: limitFrom(textOption(call.options, 'limit')),
  };
  return withGateway(call, async ({ client }) => {
    const found = await client.runs(query);
    call.out.lines(...drawRunList(found.runs, call.out.style, call.out.columns));
    call.out.result(found);
    return ExitCode.success;
  });
};

const show = async (client: GatewayClient, runId: string, call: Call): Promise<ExitCode> => {
  const view = await client.run(runId);
  const { out } = call;
  if (view.outcome !== null) return showEnding(view, call);
  out.lines(`run ${runId} is ${view.status}; follow it: ${typedCommand(`runs watch ${runId}`)}`);
  out.result(view);
  return ExitCode.success;
};

const watch = async (client: GatewayClient, runId: string, call: Call): Promise<ExitCode> => {
  await showProgress(client, runId, call.out, call.interrupt);
  return showEnding(await endedRun(client, runId), call);
};

const cancel = async (client: GatewayClient, runId: string, call: Call): Promise<ExitCode> => {
  await client.cancel(runId);
  await showProgress(client, runId, call.out, call.interrupt);
  const view = await endedRun(client, runId);
  showEnding(view, call);
  return view.outcome === 'CANCELLED' ? ExitCode.success : ExitCode.trouble;
};

const ACTIONS = { show, watch, cancel };

const run = (call: Call): Promise<ExitCode> => {
  const [action = 'list', id] = call.positionals;
  if (action === 'list') {
    if (id !== undefined)
      throw new UsageError(`runs list takes no run id; did you mean: ${typedCommand(`runs show ${id}`)}`);
    return list(call);
  }
  if (!Object.hasOwn(ACTIONS, action))
    throw new UsageError(`runs knows list, show, watch and cancel, not "${action}"`);
  const runId = runIdFrom(id, `runs ${action} <run-id>`);
  return withGateway(call, ({ client }) => ACTIONS[action as keyof typeof ACTIONS](client, runId, call));
};

export const runs: Command = {
  name: 'runs',
  usage: 'list | show <run-id> | watch <run-id> | cancel <run-id>',
  summary: 'Look at runs, follow one live, or cancel it.',
  details: [
    'show and watch exit with the code of the run’s outcome; cancel exits 0 when the run ended as cancelled.',
  ],
  options: {
    session: { type: 'string' },
    limit: { type: 'string' },
    full: { type: 'boolean' },
    ...GATEWAY_OPTIONS,
  },
  optionHelp: {
    session: 'list: the runs of this session only',
    limit: `list: how many (${LIMIT_DEFAULT})`,
    full: 'show, watch: every value and quote that a statement stands on',
    ...GATEWAY_HELP,
  },
  examples: [
    'runs list --limit 5',
    'runs list --session night-shift --json',
    'runs show 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
    'runs watch 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
    'runs cancel 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
  ],
  positionalsMax: 2,
  run,
};

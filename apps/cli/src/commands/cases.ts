import { isEndedCase } from '@inquest/contracts/case-view';
import { RunId } from '@inquest/contracts/ids';
import { typedCommand } from '@inquest/contracts/typed-command';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import type { GatewayClient } from '../gateway-client';
import { endedCase, openCase, showCase, showCaseProgress } from '../investigate-and-show';
import { sourceToInvestigate } from '../meant-source';
import { CASE_HELP, CASE_OPTIONS, caseFrom } from '../new-case';
import { drawReviews } from '../render/case';
import { drawCaseList } from '../render/case-list';
import { UsageError } from '../usage-error';
import { LIMIT_DEFAULT, limitFrom } from './runs';

const caseIdFrom = (text: string | undefined, usage: string): string => {
  if (text === undefined) throw new UsageError(`the case id is missing: ${usage}`);
  if (!RunId.safeParse(text).success)
    throw new UsageError(`"${text}" is no case id; this shows them: ${typedCommand('cases list')}`);
  return text;
};

const open = (call: Call): Promise<ExitCode> => {
  const text = call.positionals[1];
  const named = textOption(call.options, 'source');
  // Checked before it is said what it is about. A run that is taken further brings its source with it.
  caseFrom(text, call.options, named);
  const isAbout = named !== undefined || textOption(call.options, 'from-run') !== undefined;
  const body = caseFrom(text, call.options, isAbout ? named : sourceToInvestigate(call));
  return withGateway(call, async ({ client }) => {
    const accepted = await openCase(client, body, call);
    call.out.lines(
      `case ${accepted.caseId} is open; follow it: ${typedCommand(`cases watch ${accepted.caseId}`)}`,
    );
    call.out.result(accepted);
    return ExitCode.success;
  });
};

const list = (call: Call): Promise<ExitCode> => {
  const query = {
    sessionId: textOption(call.options, 'session'),
    limit: limitFrom(textOption(call.options, 'limit')),
  };
  return withGateway(call, async ({ client }) => {
    const found = await client.cases(query);
    call.out.lines(...drawCaseList(found.cases, call.out.style, call.out.columns));
    call.out.result(found);
    return ExitCode.success;
  });
};

const show = async (client: GatewayClient, caseId: string, call: Call): Promise<ExitCode> => {
  const view = await client.case(caseId);
  const code = showCase(view, call);
  return isEndedCase(view.status) ? code : ExitCode.success;
};

const watch = async (client: GatewayClient, caseId: string, call: Call): Promise<ExitCode> => {
  await showCaseProgress(client, caseId, call.out, call.interrupt);
  return showCase(await endedCase(client, caseId), call);
};

const cancel = async (client: GatewayClient, caseId: string, call: Call): Promise<ExitCode> => {
  await client.cancelCase(caseId);
  await showCaseProgress(client, caseId, call.out, call.interrupt);
  const view = await endedCase(client, caseId);
  showCase(view, call);
  return view.status === 'CANCELLED' ? ExitCode.success : ExitCode.trouble;
};

const reviews = async (client: GatewayClient, caseId: string, { out }: Call): Promise<ExitCode> => {
  const found = await client.reviews(caseId);
  out.lines(...drawReviews(found.reviews, { style: out.style, columns: out.columns, full: true }));
  out.result(found);
  return ExitCode.success;
};

const ACTIONS = { show, watch, cancel, reviews };

const run = async (call: Call): Promise<ExitCode> => {
  const [action = 'list', id] = call.positionals;
  if (action === 'open') return open(call);
  if (action === 'list') {
    if (id !== undefined)
      throw new UsageError(`cases list takes no case id; did you mean: ${typedCommand(`cases show ${id}`)}`);
    return list(call);
  }
  if (!Object.hasOwn(ACTIONS, action))
    throw new UsageError(`cases knows open, list, show, watch, cancel and reviews, not "${action}"`);
  const caseId = caseIdFrom(id, `cases ${action} <case-id>`);
  return withGateway(call, ({ client }) => ACTIONS[action as keyof typeof ACTIONS](client, caseId, call));
};

export const cases: Command = {
  name: 'cases',
  usage: 'open "question" | list | show <case-id> | watch <case-id> | cancel <case-id> | reviews <case-id>',
  summary: 'Look at investigations, follow one live, read its early reviews, or cancel it.',
  details: [
    'open returns at once; the case goes on. show and watch exit with the code of an ended case (0 diagnosed, 3 inconclusive, 4 failed, 5 cancelled); cancel exits 0 when the case ended as cancelled.',
  ],
  options: {
    source: { type: 'string' },
    limit: { type: 'string' },
    ...CASE_OPTIONS,
    ...GATEWAY_OPTIONS,
  },
  optionHelp: {
    ...CASE_HELP,
    source: 'open: name of a source that the gateway has configured',
    limit: `list: how many (${LIMIT_DEFAULT})`,
    session: 'open: join a session; list: the cases of this session only',
    ...GATEWAY_HELP,
  },
  examples: [
    'cases open "Why do checkouts fail?" --source checkout-pool-exhaustion',
    'cases list --limit 5',
    'cases show 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
    'cases reviews 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b --json',
    'cases cancel 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
  ],
  positionalsMax: 2,
  run,
};

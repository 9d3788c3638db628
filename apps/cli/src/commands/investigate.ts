import { incidentFolder, shippedIncidents } from '@inquest/local-stack/incident-sources';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import type { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { investigateAndShow } from '../investigate-and-show';
import { sourceToInvestigate } from '../meant-source';
import { CASE_HELP, CASE_OPTIONS, caseFrom } from '../new-case';
import { UsageError } from '../usage-error';

/** A source that the gateway knows already: what a shipped one records as its question may be left out. */
const investigateSource = (call: Call, source: string): Promise<ExitCode> => {
  const shipped = shippedIncidents()[source];
  const text = call.positionals[0] ?? (shipped && incidentFolder(shipped).question);
  const body = caseFrom(text, call.options, source);
  return withGateway(call, ({ client }) => investigateAndShow(client, body, call));
};

const investigateIncident = (call: Call, path: string): Promise<ExitCode> => {
  const incident = incidentFolder(path);
  const text = call.positionals[0] ?? incident.question;
  // Checked before anything is started.
  caseFrom(text, call.options, incident.name);
  return withGateway(
    call,
    ({ client, source, aside }) =>
      investigateAndShow(client, caseFrom(text, call.options, source), call, aside),
    incident,
  );
};

const run = async (call: Call): Promise<ExitCode> => {
  const source = textOption(call.options, 'source');
  const path = textOption(call.options, 'incident');
  if (source !== undefined && path !== undefined)
    throw new UsageError('--source and --incident exclude each other');
  if (textOption(call.options, 'from-run') !== undefined && (source ?? path) !== undefined)
    throw new UsageError('--from-run takes question, source and session from the run');
  if (source !== undefined) return investigateSource(call, source);
  if (path !== undefined) return investigateIncident(call, path);
  const [text] = call.positionals;
  // Checked before it is said what it is about. A run that is taken further brings its source with it.
  caseFrom(text, call.options, undefined);
  const meant = textOption(call.options, 'from-run') === undefined ? sourceToInvestigate(call) : undefined;
  const body = caseFrom(text, call.options, meant);
  return withGateway(call, ({ client }) => investigateAndShow(client, body, call));
};

export const investigate: Command = {
  name: 'investigate',
  usage: '"question"',
  summary: 'Investigate with several hypotheses side by side and an independent early review.',
  details: [
    'Each hypothesis has a budget of research actions; what an action should show is written down before it runs. A case may ask for an independent early diagnosis before all accounts are closed. See docs/investigations.md.',
    'Exits with 0 when diagnosed, 3 inconclusive, 4 failed, 5 cancelled.',
  ],
  options: {
    incident: { type: 'string' },
    source: { type: 'string' },
    ...CASE_OPTIONS,
    ...GATEWAY_OPTIONS,
  },
  optionHelp: {
    incident: 'folder of a recorded incident',
    source: 'name of a source that the gateway has configured',
    ...CASE_HELP,
    ...GATEWAY_HELP,
  },
  examples: [
    'investigate --incident incidents/checkout-pool-exhaustion',
    'investigate "Why do checkouts fail?" --source checkout-pool-exhaustion --code checkout=git.example.org/checkout#src@v41',
    'investigate --from-run 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b --reviews 1',
    'investigate "Why is search slow?" --source search --json | tail -1 | jq .changeRequest',
  ],
  positionalsMax: 1,
  run,
};

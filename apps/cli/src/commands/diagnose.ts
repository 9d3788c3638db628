import { incidentFolder, shippedIncidents } from '@inquest/local-stack/incident-sources';
import { askAndShow } from '../ask-and-show';
import { QUESTION_HELP, QUESTION_OPTIONS, questionFrom } from '../question';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import type { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { UsageError } from '../usage-error';

/** What `npm run diagnose` shows when nothing else is asked for. */
const SHOWN_INCIDENT = 'checkout-pool-exhaustion';

const defaultIncident = (): string => {
  const shipped = shippedIncidents();
  const dir = shipped[SHOWN_INCIDENT] ?? Object.values(shipped)[0];
  if (dir === undefined) throw new UsageError('no incident is shipped here: name one with --incident DIR');
  return dir;
};

/** A source that the gateway knows already: nothing of it is on this machine, so the question must be given. */
const diagnoseSource = (call: Call, source: string): Promise<ExitCode> => {
  const [text] = call.positionals;
  const shipped = shippedIncidents()[source];
  const asked = text ?? (shipped && incidentFolder(shipped).question);
  if (asked === undefined) throw new UsageError('--source needs a question, in quotes');
  const question = questionFrom(asked, call.options, source);
  return withGateway(call, ({ client }) => askAndShow(client, question, call));
};

const run = (call: Call): Promise<ExitCode> => {
  const source = textOption(call.options, 'source');
  const path = textOption(call.options, 'incident');
  if (source !== undefined && path !== undefined)
    throw new UsageError('--source and --incident exclude each other');
  if (source !== undefined) return diagnoseSource(call, source);
  const incident = incidentFolder(path ?? defaultIncident());
  const asked = call.positionals[0] ?? incident.question;
  if (asked === undefined)
    throw new UsageError(`${path ?? incident.dir} records no question: ask one, in quotes`);
  // Checked before anything is started.
  questionFrom(asked, call.options, incident.name);
  return withGateway(
    call,
    ({ client, source: name, aside }) =>
      askAndShow(client, questionFrom(asked, call.options, name), call, aside),
    incident,
  );
};

export const diagnose: Command = {
  name: 'diagnose',
  usage: '[question]',
  summary: 'Diagnose an incident and show every step; without arguments the one that is shipped.',
  details: [
    'Uses the running stack, or starts NATS, Postgres and all services for this one run and stops them again.',
    'An incident is a folder: incident.json beside objects, events, logs, metrics, alerts and dependencies; see incidents/.',
  ],
  options: {
    incident: { type: 'string' },
    source: { type: 'string' },
    ...QUESTION_OPTIONS,
    ...GATEWAY_OPTIONS,
  },
  optionHelp: {
    incident: 'folder of a recorded incident',
    source: 'name of a source that the gateway has configured',
    ...QUESTION_HELP,
    ...GATEWAY_HELP,
  },
  examples: [
    'diagnose',
    'diagnose "Why do checkouts fail?" --incident ./incidents/checkout-pool-exhaustion',
    'diagnose --json | tail -1 | jq .report.conclusion',
    'diagnose "Why is search slow?" --source search --url https://inquest.example.org',
  ],
  positionalsMax: 1,
  run,
};

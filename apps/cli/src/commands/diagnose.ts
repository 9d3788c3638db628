import { incidentFolder, shippedIncidents } from '@inquest/local-stack/incident-sources';
import { askAndShow } from '../ask-and-show';
import { QUESTION_HELP, QUESTION_OPTIONS, questionFrom } from '../question';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import type { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { meantSource, sourceFlags, unnamedSource } from '../meant-source';
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

/**
 * A question that names nothing: what a person registered is meant before what is shipped. The shipped incident remains
 * the default, since this is the command that shows what Inquest does; which one it is stands before the wait.
 */
const meantHere = (call: Call): string | undefined => {
  const meant = meantSource(call);
  if (meant.kind === 'UNKNOWN')
    throw new UsageError('a gateway that runs elsewhere knows its incidents by name: --source NAME');
  const [text] = call.positionals;
  if (text === undefined) return undefined;
  // Checked before it is said what it is about.
  questionFrom(text, call.options, undefined);
  if (meant.kind === 'ONE') {
    call.out.note(`on source ${meant.name}, the only one here (--source names another)`);
    return meant.name;
  }
  if (meant.own.length > 0) throw unnamedSource(meant.names);
  const others = meant.names.filter((name) => name !== SHOWN_INCIDENT);
  call.out.note(
    `no source is named: this is about the shipped ${SHOWN_INCIDENT}; others: ${sourceFlags(others)} or --incident DIR`,
  );
  return undefined;
};

const run = async (call: Call): Promise<ExitCode> => {
  const source = textOption(call.options, 'source');
  const path = textOption(call.options, 'incident');
  if (source !== undefined && path !== undefined)
    throw new UsageError('--source and --incident exclude each other');
  const named = source ?? (path === undefined ? meantHere(call) : undefined);
  if (named !== undefined) return diagnoseSource(call, named);
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

import { askAndShow } from '../ask-and-show';
import { QUESTION_HELP, QUESTION_OPTIONS, questionFrom } from '../question';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import { withGateway } from '../gateway-access';
import { meantSource, sourceFlags } from '../meant-source';
import { UsageError } from '../usage-error';

/**
 * Whether a question is about an incident is what the router decides, and it would be no help to guess here: a question
 * to the runbooks needs no source, and takes no harm from one. So the run goes on in any case, and a person who meant
 * an incident hears before the wait what is missing.
 */
const sourceOf = (call: Call): string | undefined => {
  const named = textOption(call.options, 'source');
  if (named !== undefined) return named;
  const meant = meantSource(call);
  if (meant.kind === 'ONE') {
    call.out.note(`on source ${meant.name}, the only one here (--source names another)`);
    return meant.name;
  }
  const flags = meant.kind === 'SEVERAL' ? sourceFlags(meant.names) : '--source NAME';
  call.out.note(`no source is named, so the runbooks alone are read; to look into an incident: ${flags}`);
  return undefined;
};

export const ask: Command = {
  name: 'ask',
  usage: '"question"',
  summary: 'Ask anything: answered from the runbooks and from --source, or refused as out of scope.',
  options: { source: { type: 'string' }, ...QUESTION_OPTIONS, ...GATEWAY_OPTIONS },
  optionHelp: {
    source: 'the registered source that the question is about',
    ...QUESTION_HELP,
    ...GATEWAY_HELP,
  },
  examples: [
    'ask "How do I find the sessions that hold a Postgres connection pool?"',
    'ask "Why do checkouts fail?" --source checkout-pool-exhaustion',
    'ask "What does ImagePullBackOff mean?" --json',
  ],
  positionalsMax: 1,
  run: async (call) => {
    const [text] = call.positionals;
    if (text === undefined) throw new UsageError('ask needs a question, in quotes');
    // Checked before anything is started.
    const asked = questionFrom(text, call.options, undefined);
    const question = { ...asked, source: sourceOf(call) };
    return withGateway(call, ({ client }) => askAndShow(client, question, call));
  },
};

import { askAndShow } from '../ask-and-show';
import { QUESTION_HELP, QUESTION_OPTIONS, questionFrom } from '../question';
import { GATEWAY_HELP, GATEWAY_OPTIONS, type Command } from '../command';
import { withGateway } from '../gateway-access';
import { UsageError } from '../usage-error';

export const ask: Command = {
  name: 'ask',
  usage: '"question"',
  summary: 'Ask without an incident: answered from the runbooks, or refused as out of scope.',
  options: { ...QUESTION_OPTIONS, ...GATEWAY_OPTIONS },
  optionHelp: { ...QUESTION_HELP, ...GATEWAY_HELP },
  examples: [
    'ask "How do I find the sessions that hold a Postgres connection pool?"',
    'ask "What does ImagePullBackOff mean?" --json',
  ],
  positionalsMax: 1,
  run: (call) => {
    const [text] = call.positionals;
    if (text === undefined) throw new UsageError('ask needs a question, in quotes');
    const question = questionFrom(text, call.options, undefined);
    call.out.note(
      'answered from the runbooks alone; an incident is looked into by: npm run diagnose -- "..."',
    );
    return withGateway(call, ({ client }) => askAndShow(client, question, call));
  },
};

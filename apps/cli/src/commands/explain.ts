import { Explanation } from '@inquest/contracts/explanation';
import { GATEWAY_HELP, GATEWAY_OPTIONS, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { drawExplanation } from '../render/explanation';
import { runIdFrom } from './runs';

const run = (call: Call): Promise<ExitCode> => {
  const runId = runIdFrom(call.positionals[0], 'explain <run-id>');
  return withGateway(call, async ({ client }) => {
    const { out } = call;
    const explanation = Explanation.parse(await client.explanation(runId));
    const full = call.options['full'] === true;
    out.lines(...drawExplanation(explanation, { style: out.style, columns: out.columns, full }));
    out.result(explanation);
    return ExitCode.success;
  });
};

export const explain: Command = {
  name: 'explain',
  usage: '<run-id>',
  summary: 'Show what carried each sentence of a report, or which rules a withheld draft failed.',
  details: [
    'Each sentence is followed by the values, quotes and names that it stands on, where they stand in the evidence, and the rules that held it to them. A rejected draft is shown with scope operate only.',
  ],
  options: { full: { type: 'boolean' }, ...GATEWAY_OPTIONS },
  optionHelp: {
    full: 'also every rule that looked at an item, and rejected drafts from beginning to end',
    ...GATEWAY_HELP,
  },
  examples: [
    'explain 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
    'explain 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b --full',
    'explain 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b --json | jq ".items[0].sentences"',
  ],
  positionalsMax: 1,
  run,
};

import { createHash } from 'node:crypto';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { TOOL_CALL_ID_PATTERN } from '@inquest/contracts/ids';
import { GATEWAY_HELP, GATEWAY_OPTIONS, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { drawEvidence } from '../render/evidence';
import { UsageError } from '../usage-error';
import { runIdFrom } from './runs';

const USAGE = 'evidence <run-or-case-id> <tool-call-id>';

const run = (call: Call): Promise<ExitCode> => {
  const [id, toolCallId] = call.positionals;
  const ownerId = runIdFrom(id, USAGE);
  if (toolCallId === undefined) throw new UsageError(`the tool call id is missing: ${USAGE}`);
  if (!TOOL_CALL_ID_PATTERN.test(toolCallId)) throw new UsageError(`"${toolCallId}" is no tool call id`);
  return withGateway(call, async ({ client }) => {
    const { out } = call;
    const entry = LedgerEntry.parse(await client.evidence(ownerId, toolCallId));
    const text = entry.projection.inline ?? '';
    const intact = createHash('sha256').update(text).digest('hex') === entry.projection.sha256;
    out.lines(...drawEvidence(entry, text, intact, out.style));
    out.result(entry);
    return intact ? ExitCode.success : ExitCode.trouble;
  });
};

export const evidence: Command = {
  name: 'evidence',
  usage: '<run-or-case-id> <tool-call-id>',
  summary: 'Open what a tool returned: the same bytes that the model saw and the guards checked.',
  options: { ...GATEWAY_OPTIONS },
  optionHelp: { ...GATEWAY_HELP },
  examples: [
    'evidence 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b call_3',
    'evidence 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b call_3 --json | jq -r .projection.inline',
  ],
  positionalsMax: 2,
  run,
};

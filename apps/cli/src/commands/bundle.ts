import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { typedCommand } from '@inquest/contracts/typed-command';
import { signBundle, UnusableKey } from '@inquest/evidence-bundle/signature';
import { verifyBundle } from '@inquest/evidence-bundle/verify-bundle';
import { GATEWAY_HELP, GATEWAY_OPTIONS, textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { withGateway } from '../gateway-access';
import { readKey, writeNamed } from '../named-file';
import { drawCounts } from '../render/verification';
import { UsageError } from '../usage-error';
import { runIdFrom } from './runs';

/** Signs with the key of the call, if it names one. The key is tried at once, before anything is started or fetched. */
const signerOf = (path: string | undefined): ((bytes: Uint8Array) => Uint8Array) | undefined => {
  if (path === undefined) return undefined;
  const key = readKey(path);
  const sign = (bytes: Uint8Array): Uint8Array => {
    try {
      return signBundle(bytes, key);
    } catch (error) {
      if (error instanceof UnusableKey) throw new UsageError(`${path}: ${error.message}`);
      throw error;
    }
  };
  sign(new Uint8Array(0));
  return sign;
};

const run = (call: Call): Promise<ExitCode> => {
  const runId = runIdFrom(call.positionals[0], 'bundle <run-id>');
  const file = resolve(textOption(call.options, 'out') ?? `${runId}.bundle.json`);
  const sign = signerOf(textOption(call.options, 'sign') ?? call.config.signingKey);
  return withGateway(call, async ({ client }) => {
    const { out } = call;
    const bytes = await client.bundle(runId);
    writeNamed(file, bytes);
    const signature = sign?.(bytes);
    if (signature) writeNamed(`${file}.sig`, signature);
    const { holds, checks, bundle } = verifyBundle(bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');
    out.lines(
      `${file}  ${bytes.length} bytes, sha256 ${digest}`,
      ...(signature ? [`${file}.sig  Ed25519 signature of these bytes`] : []),
      drawCounts(checks, out.style),
      out.style.dim(`check it anywhere, without a server: ${typedCommand(`verify ${file}`)}`),
    );
    out.result({
      file,
      bytes: bytes.length,
      sha256: digest,
      signature: signature ? `${file}.sig` : null,
      outcome: bundle?.manifest.outcome ?? null,
      holds,
      missing: bundle?.manifest.missing ?? [],
    });
    return holds ? ExitCode.success : ExitCode.trouble;
  });
};

export const bundle: Command = {
  name: 'bundle',
  usage: '<run-id>',
  summary: 'Write everything that a run’s ending stands on into one file that anybody can re-check.',
  details: [
    'Report, snapshot, all tool results, drafts, verdicts and decisions, with hashes bound to their positions in the log. Needs scope operate or audit: the file also holds what the report does not cite, and rejected drafts.',
    'The same run gives the same bytes each time as long as the log holds it. docs/reference/evidence-bundle.md has the format.',
  ],
  options: { out: { type: 'string' }, sign: { type: 'string' }, ...GATEWAY_OPTIONS },
  optionHelp: {
    out: 'the file (<run-id>.bundle.json here)',
    sign: 'Ed25519 private key as PEM (or INQUEST_SIGNING_KEY): writes <file>.sig beside it',
    ...GATEWAY_HELP,
  },
  examples: [
    'bundle 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b',
    'bundle 6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b --out incident-417.json --sign inquest-signing.key',
  ],
  positionalsMax: 1,
  run,
};

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { UnusableKey } from '@inquest/evidence-bundle/signature';
import { verifyBundle, type VerifyOptions } from '@inquest/evidence-bundle/verify-bundle';
import { textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { readIfThere, readKey, readNamed } from '../named-file';
import { drawVerification } from '../render/verification';
import { UsageError } from '../usage-error';

/** An Ed25519 signature has 64 bytes; whatever is longer than this is none. */
const SIGNATURE_BYTES_MAX = 4_096;

const optionsOf = (call: Call, file: string): VerifyOptions => {
  const key = textOption(call.options, 'key') ?? call.config.verifyKey;
  const named = textOption(call.options, 'signature');
  const hosts = textOption(call.options, 'link-hosts');
  return {
    publicKey: key === undefined ? undefined : readKey(key),
    signature:
      named === undefined
        ? readIfThere(`${file}.sig`, SIGNATURE_BYTES_MAX)
        : readNamed(resolve(named), SIGNATURE_BYTES_MAX),
    linkHosts: hosts?.split(',').map((host) => host.trim().toLowerCase()),
  };
};

const verified = (bytes: Uint8Array, options: VerifyOptions) => {
  try {
    return verifyBundle(bytes, options);
  } catch (error) {
    if (error instanceof UnusableKey) throw new UsageError(`--key: ${error.message}`);
    throw error;
  }
};

const run = (call: Call): Promise<ExitCode> => {
  const [path] = call.positionals;
  if (path === undefined) throw new UsageError('the file is missing: verify <file>');
  const file = resolve(path);
  const bytes = readNamed(file);
  const verification = verified(bytes, optionsOf(call, file));
  const { holds, checks, bundle } = verification;
  const { out } = call;
  out.lines(...drawVerification(verification, out.style, out.columns));
  out.result({
    file,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    holds,
    checks,
    runId: bundle?.manifest.runId ?? null,
    outcome: bundle?.manifest.outcome ?? null,
    reportHash: bundle?.manifest.reportHash ?? null,
    snapshotHash: bundle?.manifest.snapshotHash ?? null,
  });
  return Promise.resolve(holds ? ExitCode.success : ExitCode.trouble);
};

export const verify: Command = {
  name: 'verify',
  usage: '<file>',
  summary: 'Re-check an evidence bundle without any server: hashes, decisions, both guards, signature.',
  details: [
    'Runs the EvidenceGuard over the file again and asks everything else that a file can be asked. Exits 0 when everything that was checked holds, 1 when something does not; what could not be checked is marked with a dash and says why.',
    'Without a key this shows that the file does not contradict itself. Who made it only a signature tells.',
  ],
  options: { key: { type: 'string' }, signature: { type: 'string' }, 'link-hosts': { type: 'string' } },
  optionHelp: {
    key: 'Ed25519 public key as PEM that has to have signed it (or INQUEST_VERIFY_KEY)',
    signature: 'the signature (<file>.sig)',
    'link-hosts':
      'hosts to let the report link to, separated by commas, in place of those that the guard’s verdict names',
  },
  examples: [
    'verify incident-417.json',
    'verify incident-417.json --key inquest-signing.pub',
    'verify incident-417.json --json | jq ".checks[] | select(.holds == false)"',
  ],
  positionalsMax: 1,
  run,
};

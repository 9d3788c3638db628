import { resolve } from 'node:path';
import { keyFingerprint, newKeyPair } from '@inquest/evidence-bundle/signature';
import type { Command } from '../command';
import { ExitCode } from '../exit-code';
import { writeNew } from '../named-file';
import { UsageError } from '../usage-error';

/** Readable by its owner only. */
const SECRET = 0o600;
const PUBLIC = 0o644;

export const keys: Command = {
  name: 'keys',
  usage: '<name>',
  summary: 'Make an Ed25519 key pair for bundles: <name>.key to sign with, <name>.pub to hand out.',
  details: [
    'PEM files as openssl writes them: openssl genpkey -algorithm ed25519 -out NAME.key, and openssl pkey -in NAME.key -pubout -out NAME.pub, do the same. Existing files are never overwritten.',
  ],
  options: {},
  optionHelp: {},
  examples: ['keys inquest-signing', 'keys inquest-signing --json'],
  positionalsMax: 1,
  run: ({ positionals: [name], out }) => {
    if (!name) throw new UsageError('the name is missing: keys <name>');
    const [secret, open] = [resolve(`${name}.key`), resolve(`${name}.pub`)];
    const { privateKey, publicKey } = newKeyPair();
    writeNew(secret, privateKey, SECRET);
    writeNew(open, publicKey, PUBLIC);
    const fingerprint = keyFingerprint(publicKey);
    out.lines(
      `${secret}  to sign with: keep it`,
      `${open}  to check with: hand it out, with its fingerprint`,
      fingerprint,
    );
    out.result({ privateKey: secret, publicKey: open, fingerprint });
    return Promise.resolve(ExitCode.success);
  },
};

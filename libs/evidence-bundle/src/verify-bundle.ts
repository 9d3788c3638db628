import type { BundleCheck, EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import { fails, holds, notChecked, type Check, type Examined } from './check';
import { DECISION_CHECKS } from './checks/decisions.check';
import { GUARD_CHECKS } from './checks/guards.check';
import { INTEGRITY_CHECKS } from './checks/integrity.check';
import { LOG_CHECKS } from './checks/log.check';
import { rerunChecks } from './checks/rerun.check';
import { readBundle } from './read-bundle';
import { chainOf, runStory } from './run-story';
import { keyFingerprint, signatureHolds } from './signature';

export type VerifyOptions = {
  /** PEM of the Ed25519 key that the signature has to be of. */
  publicKey?: string;
  /** The detached signature's raw bytes. */
  signature?: Uint8Array;
  /** Hosts to let reports link to, in place of those that the EvidenceGuard's verdicts in the file tell. */
  linkHosts?: readonly string[] | undefined;
};

export type Verification = {
  /** Nothing that was checked fails. */
  holds: boolean;
  checks: BundleCheck[];
  /** The file's content, where it could be read at all: not trusted unless `holds`. */
  bundle: EvidenceBundle | null;
};

const FORM = 'The file can be read as an evidence bundle';
const SIGNATURE = 'The file is signed by the holder of the given key';

const signatureCheck = (file: Uint8Array | string, { publicKey, signature }: VerifyOptions): BundleCheck => {
  if (publicKey === undefined)
    return notChecked(
      SIGNATURE,
      signature ? 'there is a signature, but no key was given' : 'no key was given',
    );
  const fingerprint = keyFingerprint(publicKey);
  if (!signature) return fails(SIGNATURE, 'a key was given, and there is no signature to check with it');
  return signatureHolds(file, signature, publicKey)
    ? holds(SIGNATURE, `key ${fingerprint}`)
    : fails(SIGNATURE, 'the signature is of other bytes or by another key');
};

/** A check over something that was made up may meet what it did not foresee: that is a finding, never an exception. */
const total = (check: () => BundleCheck[]): BundleCheck[] => {
  try {
    return check();
  } catch {
    return [
      fails('The content fits together', 'a check could not be completed: the content contradicts itself'),
    ];
  }
};

const CHECKS: readonly Check[] = [...INTEGRITY_CHECKS, ...LOG_CHECKS, ...DECISION_CHECKS, ...GUARD_CHECKS];

/**
 * Asks everything that can be asked of a bundle without a server. Pure and total, but for a key that is none: that throws
 * {@link UnusableKey}, since it says nothing about the file.
 */
export const verifyBundle = (file: Uint8Array | string, options: VerifyOptions = {}): Verification => {
  const signature = signatureCheck(file, options);
  const read = readBundle(file);
  if (read.kind === 'UNREADABLE')
    return { holds: false, checks: [fails(FORM, read.why), signature], bundle: null };
  const { bundle, isCanonical } = read;
  const examined: Examined = { bundle, isCanonical, story: runStory(chainOf(bundle.excerpt)) };
  const checks = [
    holds(FORM, `${bundle.schema}, run ${bundle.manifest.runId}, ${bundle.manifest.outcome}`),
    ...CHECKS.flatMap((check) => total(() => check(examined))),
    ...total(() => rerunChecks(examined, options.linkHosts)),
    signature,
  ];
  return { holds: checks.every((check) => check.holds !== false), checks, bundle };
};

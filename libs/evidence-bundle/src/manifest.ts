import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { CHAIN_ROOT, type BundleManifest, type EvidenceBundle } from '@inquest/contracts/evidence-bundle';

export type BundleParts = Omit<EvidenceBundle, 'schema' | 'manifest'>;

const textHash = (text: string | null): string | null => (text === null ? null : sha256(text));

export const partHashes = (parts: BundleParts): BundleManifest['parts'] => ({
  report: textHash(parts.report),
  snapshot: textHash(parts.snapshot),
  texts: hashOf(parts.texts),
  ledger: hashOf(parts.ledger),
  drafts: hashOf(parts.drafts),
  evidence: hashOf(parts.evidence),
  semantic: hashOf(parts.semantic),
  excerpt: hashOf(parts.excerpt),
});

export const headOf = ({ excerpt }: Pick<BundleParts, 'excerpt'>): string =>
  excerpt.at(-1)?.hash ?? CHAIN_ROOT;

export const manifestDigest = ({ digest: _, ...manifest }: BundleManifest): string => hashOf(manifest);

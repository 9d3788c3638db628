import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { PART_NAMES } from '@inquest/contracts/evidence-bundle';
import { fails, holds, unless, type Check } from '../check';
import { brokenLink } from '../excerpt-chain';
import { headOf, manifestDigest, partHashes } from '../manifest';

const isExact: Check = ({ isCanonical }) => {
  const check = 'The file is one canonical JSON document';
  return [
    isCanonical
      ? holds(check, 'its bytes are exactly what its content says, with nothing between, before or behind')
      : fails(
          check,
          'its bytes are not the canonical form of its content: it was written or changed by something else',
        ),
  ];
};

const manifestHolds: Check = ({ bundle: { manifest, ...parts } }) => {
  const found = partHashes(parts);
  const changed = PART_NAMES.filter((name) => found[name] !== manifest.parts[name]).map(
    (name) => `the part "${name}" does not have the hash that the manifest lists`,
  );
  const digest = manifestDigest(manifest) === manifest.digest;
  const head = headOf(parts) === manifest.head;
  return [
    unless(
      'Every part has the hash that the manifest lists',
      changed,
      `${PART_NAMES.length} parts: ${PART_NAMES.join(', ')}`,
    ),
    unless(
      'The manifest has its own digest',
      [
        ...(digest ? [] : ['the manifest was changed after its digest was taken']),
        ...(head ? [] : ['the manifest does not name the last link of the log excerpt']),
      ],
      manifest.digest,
    ),
  ];
};

const linksHold: Check = ({ bundle: { excerpt } }) => {
  const check = 'The log excerpt is one unbroken chain of hashes';
  const broken = brokenLink(excerpt);
  const at = excerpt[broken];
  return [
    at === undefined
      ? holds(check, `${excerpt.length} facts at positions ${excerpt[0]?.seq} to ${excerpt.at(-1)?.seq}`)
      : fails(check, `the link at position ${at.seq} (${at.subject}) does not follow from the one before it`),
  ];
};

const textsHold: Check = ({ bundle: { texts, snapshot, report, ledger } }) => {
  const named = Object.entries(texts).flatMap(([digest, text]) =>
    sha256(text) === digest ? [] : [`the text ${digest} does not have that digest`],
  );
  const projections = ledger.flatMap((call) => {
    if (call.kind !== 'RESULT' || call.entry.projection.inline === undefined) return [];
    const { inline, sha256: digest } = call.entry.projection;
    return sha256(inline) === digest
      ? []
      : [`the projection of ${call.entry.toolCallId} does not have its digest`];
  });
  const count = ledger.filter(({ kind }) => kind === 'RESULT').length;
  const canonical =
    snapshot !== null && canonicalJson(JSON.parse(snapshot)) !== snapshot
      ? ['the snapshot is not canonical JSON']
      : [];
  return [
    unless(
      'Every text has the digest that its fact names',
      [...named, ...projections, ...canonical],
      `${count} projections${snapshot === null ? '' : ', the snapshot'}${report === null ? '' : ', the report'}`,
    ),
  ];
};

export const INTEGRITY_CHECKS: readonly Check[] = [isExact, manifestHolds, linksHold, textsHold];

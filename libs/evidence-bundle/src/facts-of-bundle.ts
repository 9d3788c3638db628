import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { Payload } from '@inquest/contracts/payload';

/** The text that a fact holds or names by its digest; undefined where the bundle has not got it. */
export const textOf = (
  { snapshot, texts }: Pick<EvidenceBundle, 'snapshot' | 'texts'>,
  payload: Payload,
): string | undefined => {
  if (payload.inline !== undefined) return payload.inline;
  const named = texts[payload.sha256];
  if (named !== undefined) return named;
  return snapshot !== null && sha256(snapshot) === payload.sha256 ? snapshot : undefined;
};

export type CarriedBody = { part: 'LEDGER' | 'DRAFTS' | 'EVIDENCE' | 'SEMANTIC'; seq: number; hash: string };

/** Every body that stands outside the excerpt, with the position that it claims and the hash that it has. */
export const carriedBodies = ({ ledger, drafts, evidence, semantic }: EvidenceBundle): CarriedBody[] => {
  const carried = (
    part: CarriedBody['part'],
    items: readonly { seq: number; data: unknown }[],
  ): CarriedBody[] => items.map(({ seq, data }) => ({ part, seq, hash: hashOf(data) }));
  const results = ledger.flatMap((call) =>
    call.kind === 'RESULT' ? [{ seq: call.seq, data: call.entry }] : [],
  );
  return [
    ...carried('LEDGER', results),
    ...carried('DRAFTS', drafts),
    ...carried('EVIDENCE', evidence),
    ...carried('SEMANTIC', semantic),
  ];
};

import { hashOf } from '@inquest/contracts/canonical-json';
import type { ReviewItem, Snapshot } from '@inquest/contracts/semantic-facts';

const BOUNDARY_FORM = /=*\s*evidence-[0-9a-f]{4,}\s*=*/gi;
/** Tokens by which chat templates tell roles apart. */
const ROLE_TOKENS = /<\|[^|>]{1,40}\|>|\[\/?INST\]|<<\/?SYS>>|<\/?s>/g;

/** Graded text cannot open or close anything of ours: whatever looks like a delimiter is named and gone. */
export const neutralised = (text: string): string =>
  text.replaceAll(BOUNDARY_FORM, '[delimiter]').replaceAll(ROLE_TOKENS, '[delimiter]');

export const boundaryOf = (random: string): string => `=====evidence-${random}=====`;

const DRAWS_MAX = 8;

/** A boundary that occurs nowhere in what is judged. `draw` yields lower-case hex; undefined when chance itself fails. */
export const drawBoundary = (snapshotText: string, draw: () => string): string | undefined => {
  for (let n = 0; n < DRAWS_MAX; n += 1) {
    const boundary = boundaryOf(draw());
    if (!snapshotText.includes(boundary)) return boundary;
  }
  return undefined;
};

/** Echoed by the judge for a negative: it has looked at this very scope. Null where the item has none. */
export const scopeHashOf = (item: Pick<ReviewItem, 'scope'>): string | null =>
  item.scope == null ? null : hashOf(item.scope);

const gradedItem = (item: ReviewItem) => ({
  ...item,
  text: neutralised(item.text),
  scopeHash: scopeHashOf(item),
});

/** What the judge reads: the frozen snapshot and nothing else. Projections stay byte for byte, since quotes are checked against them. */
export const judgeDocument = (snapshot: Snapshot, snapshotHash: string, boundary: string) => ({
  kind: 'judge',
  snapshotHash,
  question: neutralised(snapshot.question),
  boundary,
  items: snapshot.items.map(gradedItem),
  evidence: snapshot.evidence.map(({ sha256: _, ...evidence }) => ({
    ...evidence,
    projection: `${boundary}\n${evidence.projection}\n${boundary}`,
  })),
});

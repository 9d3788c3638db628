import { sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import type { Finding } from '../rule';
import type { FrozenSnapshot } from '../snapshot';

const finding = (message: string): Finding => ({ path: '', message, repairable: false });

/** A snapshot as it is frozen: releases what was validated, and lets the judge see every citation of every item. */
function* contentFindings(
  { report, reportHash, items, evidence, intent }: Snapshot,
  draftText: string,
  digestOf: (text: string) => string,
): Generator<Finding> {
  if (report !== draftText || sha256(report) !== reportHash)
    yield finding('the snapshot holds another report');
  if (new Set(items.map(({ id }) => id)).size < items.length)
    yield finding('two items of the snapshot have one id');
  if (intent === 'DIAGNOSIS' && items.length === 0)
    yield finding('the snapshot of a diagnosis has nothing to judge');
  const shown = new Set<string>(evidence.map(({ toolCallId }) => toolCallId));
  for (const { section, citations } of items) {
    // A limitation may speak of a call that never had an output.
    if (section === 'limitation' || citations.every((id) => shown.has(id))) continue;
    yield finding('the snapshot lacks evidence that an item cites');
  }
  if (evidence.some((e) => digestOf(e.projection) !== e.sha256))
    yield finding('evidence in the snapshot does not have its digest');
}

export const frozenSnapshot = {
  id: '44 SNAPSHOT',
  meaning: 'The frozen text is what its hash says; judge and publisher accept that hash only.',
  severity: 'HARD',
  /** Of a text that comes from elsewhere: everything is read and hashed again. */
  *check({ text, hash }: Pick<FrozenSnapshot, 'text' | 'hash'>, draftText: string): Generator<Finding> {
    if (sha256(text) !== hash) yield finding('the snapshot does not have its hash');
    const parsed = Snapshot.safeParse(JSON.parse(text));
    if (parsed.success) yield* contentFindings(parsed.data, draftText, sha256);
    else yield finding('the snapshot does not have its form');
  },
  /** Of one that was frozen here a moment ago: its evidence was hashed when the ledger was read, see rule 8. */
  *checkFrozen(
    { snapshot }: FrozenSnapshot,
    draftText: string,
    digests: ReadonlyMap<string, string>,
  ): Generator<Finding> {
    const parsed = Snapshot.safeParse(snapshot);
    if (!parsed.success) {
      yield finding('the snapshot does not have its form');
      return;
    }
    yield* contentFindings(snapshot, draftText, (text) => digests.get(text) ?? sha256(text));
  },
} as const;

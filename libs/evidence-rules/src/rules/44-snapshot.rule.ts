import { sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import type { Finding } from '../rule';
import type { FrozenSnapshot } from '../snapshot';

const finding = (message: string): Finding => ({ path: '', message, repairable: false });

/** The frozen text is what its hash says, releases what was validated, and lets the judge see every citation of every item. */
export const frozenSnapshot = {
  id: '44 SNAPSHOT',
  *check({ text, hash }: Pick<FrozenSnapshot, 'text' | 'hash'>, draftText: string): Generator<Finding> {
    if (sha256(text) !== hash) yield finding('the snapshot does not have its hash');
    const parsed = Snapshot.safeParse(JSON.parse(text));
    if (!parsed.success) {
      yield finding('the snapshot does not have its form');
      return;
    }
    const { report, reportHash, items, evidence, intent } = parsed.data;
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
    if (evidence.some((e) => sha256(e.projection) !== e.sha256))
      yield finding('evidence in the snapshot does not have its digest');
  },
};

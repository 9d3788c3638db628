import type { Call } from '../ledger-view';
import { proseItems } from '../prose-items';
import type { DraftView, Finding, Rule } from '../rule';

const NOW =
  /(?<![\p{L}-])(?:now|currently|at present|at the moment|right now|jetzt|derzeit|momentan|zurzeit|gegenwärtig)(?![\p{L}-])|目前|现在|当前/iu;
const RECENT_MS = 15 * 60_000;

/** A call reaches to now when its window, or the moment at which it looked, ends within a quarter of an hour of now. */
const isRecent = ({ entry }: Call, asOfMs: number): boolean =>
  entry !== null && Math.abs(asOfMs - Date.parse(entry.window?.to ?? entry.asOf)) <= RECENT_MS;

export const freshness: Rule = {
  id: '23 FRESHNESS',
  meaning: '"Now" needs a call that looked now.',
  severity: 'SOFT',
  *check(view: DraftView): Generator<Finding> {
    const asOfMs = Date.parse(view.input.asOf);
    for (const { section, path, text, analyses } of proseItems(view.reading)) {
      if ((section !== 'analysis' && section !== 'conclusion') || !NOW.test(text)) continue;
      const calls = analyses.flatMap(({ toolCallIds }) =>
        toolCallIds.flatMap((id) => view.ledger.byId.get(id) ?? []),
      );
      if (calls.length > 0 && !calls.some((call) => isRecent(call, asOfMs)))
        yield { path, message: 'speaks of now, and no cited call looked then' };
    }
  },
};

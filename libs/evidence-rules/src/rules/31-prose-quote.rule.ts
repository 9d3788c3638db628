import { foldText, quotedSpans } from '../fold-text';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';
import { supportOf } from '../prose-support';

/** What prose puts between quotation marks stands in a cited output. The conclusion is held to its analyses by rule 10. */
export const proseQuote: Rule = {
  id: '31 PROSE_QUOTE',
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (item.section === 'conclusion' || item.section === 'answer') continue;
      const spans = quotedSpans(item.text);
      if (spans.length === 0) continue;
      const { calls } = supportOf(view, item);
      const texts = calls.flatMap(({ index, about }) => [
        ...(index ? [index.haystack()] : []),
        about.haystack(),
      ]);
      for (const span of spans) {
        if (texts.some((text) => text.includes(foldText(span).trim()))) continue;
        yield { path: item.path, message: 'quotes what stands in no cited output' };
      }
    }
  },
};

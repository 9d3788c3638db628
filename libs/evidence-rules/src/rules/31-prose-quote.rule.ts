import { citedTexts } from '../cited-texts';
import { foldText, quotedSpans } from '../fold-text';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';

export const proseQuote: Rule = {
  id: '31 PROSE_QUOTE',
  meaning:
    'What prose puts between quotation marks stands in a cited output. The conclusion is held to its analyses by rule 10.',
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (item.section === 'conclusion') continue;
      const spans = quotedSpans(item.text);
      if (spans.length === 0) continue;
      const texts = citedTexts(view, item);
      for (const span of spans) {
        if (texts.some((text) => text.holdsText(foldText(span).trim()))) continue;
        yield { path: item.path, message: 'quotes what stands in no cited output' };
      }
    }
  },
};

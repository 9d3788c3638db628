import { citedTexts } from '../cited-texts';
import { showsEntity } from '../entity-names';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';

/** Words that only machines write: an underscore inside, or a letter, a hyphen and a digit. `read-only` is prose. */
const IDENTIFIER =
  /(?<![\w./-])(?=[\w.-]*_|[\w.-]*[A-Za-z][\w.]*-[\w.-]*\d)[A-Za-z][\w.-]{3,120}[A-Za-z0-9](?![\w/-])/g;

const ASSERTING: ReadonlySet<string> = new Set(['conclusion', 'analysis', 'limitation', 'answer']);

export const entityProse: Rule = {
  id: '33 ENTITY_PROSE',
  meaning: 'Names in prose that look like identifiers stand in a cited output.',
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    const known = new Set<string>(view.ledger.calls.flatMap(({ toolCallId, tool }) => [toolCallId, tool]));
    for (const item of proseItems(view.reading)) {
      // Advice and the vocabulary of candidates name what a reader should look at, not what was seen.
      if (!ASSERTING.has(item.section)) continue;
      const names = new Set([...item.text.matchAll(IDENTIFIER)].map(([name]) => name));
      if (names.size === 0) continue;
      const texts = citedTexts(view, item);
      for (const name of names) {
        if (known.has(name) || texts.some((text) => showsEntity(text, { type: 'other', name }))) continue;
        yield { path: item.path, message: 'names what stands in no cited output' };
      }
    }
  },
};

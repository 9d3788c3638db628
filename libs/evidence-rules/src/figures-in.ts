import { proseFigures, type ProseFigures } from './prose-numbers';
import type { DraftView } from './rule';

const cache = new WeakMap<DraftView, string[]>();

/** Names whose digits are no figures: of calls, tools, rendered documents and typed entities. */
export const runNames = (view: DraftView): string[] => {
  const known = cache.get(view);
  if (known) return known;
  const names = new Set<string>();
  for (const { toolCallId, tool, entry } of view.ledger.calls) {
    names.add(toolCallId).add(tool);
    for (const { id } of entry?.documents ?? []) names.add(id);
  }
  for (const { entities = [] } of view.reading.diagnosis?.analyses ?? [])
    for (const { name } of entities) names.add(name);
  const list = [...names].filter((name) => /\d/.test(name)).sort((a, b) => b.length - a.length);
  cache.set(view, list);
  return list;
};

const figures = new WeakMap<DraftView, Map<string, ProseFigures>>();

/** The figures of a text of this draft, read once for all rules. */
export const figuresIn = (view: DraftView, text: string): ProseFigures => {
  const known = figures.get(view) ?? new Map<string, ProseFigures>();
  figures.set(view, known);
  const read = known.get(text) ?? proseFigures(text, runNames(view));
  known.set(text, read);
  return read;
};

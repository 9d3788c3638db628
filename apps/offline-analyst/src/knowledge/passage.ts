import type { KnowledgeDocument } from '../evidence/view';

const PASSAGE_CHARS_MAX = 900;
const CUT = /\[truncated|\[REDACTED|…/;

const STOP = new Set(
  'the and for are was how what when which who does can should would could with from that this our your is to of in on a an i we do it be der die das und ich wie kann man bei ein eine ist zu im von mit wenn'.split(
    ' ',
  ),
);

/** Words of Latin scripts by their stem, Chinese by pairs of characters. */
export const termsOf = (text: string): Set<string> => {
  const lower = text.normalize('NFKC').toLowerCase();
  const words = (lower.match(/[\p{Script=Latin}\d][\p{Script=Latin}\d_.-]*/gu) ?? [])
    .filter((word) => word.length > 2 && !STOP.has(word))
    .map((word) => (word.length > 5 ? word.replace(/(?:ing|ions?|ed|es|s|en|er)$/, '') : word));
  const pairs = (lower.match(/\p{Script=Han}{2,}/gu) ?? []).flatMap((run) =>
    Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2)),
  );
  return new Set([...words, ...pairs]);
};

const hits = (text: string, terms: ReadonlySet<string>): number => {
  const lower = text.toLowerCase();
  return [...terms].filter((term) => lower.includes(term)).length;
};

/** Sections that tell what to do answer a how-to better than those that describe. */
const REMEDY = /remed|relief|fix|mitigat|recover|repair|solution|steps|procedure|behebung|abhilfe|处理|修复/i;

const trimmedTo = (text: string, charsMax: number): string => {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, charsMax);
  const end = Math.max(head.lastIndexOf('\n'), head.lastIndexOf('. ') + 1);
  return head.slice(0, end > charsMax / 3 ? end : charsMax).trimEnd();
};

/** As much of a document as answers well: whole paragraphs from the most fitting one on. `score` compares documents. */
export const passageFor = (
  document: KnowledgeDocument,
  terms: ReadonlySet<string>,
): { text: string; score: number } => {
  const cut = document.text.search(CUT);
  const body = (cut < 0 ? document.text : document.text.slice(0, cut)).trim();
  const heading = `${document.id} ${document.title}`;
  const score = hits(`${heading} ${body}`, terms) + (REMEDY.test(heading) ? 1 : 0);
  if (body.length <= PASSAGE_CHARS_MAX) return { text: body, score };
  const starts = [0, ...[...body.matchAll(/\n\s*\n/g)].map((gap) => gap.index + gap[0].length)];
  const ranked = starts
    .map((start) => ({ start, found: hits(body.slice(start, start + PASSAGE_CHARS_MAX), terms) }))
    .sort((a, b) => b.found - a.found || a.start - b.start);
  return { text: trimmedTo(body.slice(ranked[0]?.start ?? 0), PASSAGE_CHARS_MAX), score };
};

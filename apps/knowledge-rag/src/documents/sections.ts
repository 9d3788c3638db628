import { sha256 } from '@inquest/contracts/canonical-json';
import { createHash } from 'node:crypto';
import { PASSAGE_BYTES_MAX, slugOf, type Passage, type Runbook } from '../corpus/runbook';

/** A part of a document under one heading, as its reader found it. */
export type Section = { headings: readonly string[]; text: string };
export type ReadDocument = { title: string; sections: readonly Section[] };

const TITLE_CHARS_MAX = 200;
const ID_CHARS_MAX = 80;
const SLUG_CHARS_MAX = 80;
const SECTIONS_MAX = 2_000;
/** Below what a passage may have, so that a cut at the end of a paragraph nearly always fits. */
const PART_BYTES = Math.floor(PASSAGE_BYTES_MAX * 0.75);

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}]/gu;

/** What a person sees: no control, zero-width or direction characters, no empty lines in a row. */
export const visibleText = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, '')
    .toWellFormed()
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');

/** A piece of at most so many bytes from the front, never inside a character. */
const headOf = (text: string, bytesMax: number): string => {
  let low = 0;
  let high = Math.min(text.length, bytesMax);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOf(text.slice(0, middle)) <= bytesMax) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low).replace(/[\uD800-\uDBFF]$/, '');
};

/** At ends of paragraphs, else of lines, else anywhere; every part within the bytes of a passage. */
export const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  for (let rest = text.trim(); rest !== '';) {
    if (bytesOf(rest) <= PASSAGE_BYTES_MAX) return [...parts, rest];
    const head = headOf(rest, PART_BYTES);
    const cut =
      [head.lastIndexOf('\n\n'), head.lastIndexOf('\n')].find((at) => at > head.length / 4) ?? head.length;
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return parts;
};

const hashed = (slug: string, charsMax: number, whole: string): string => {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return `${slug.slice(0, charsMax - 9).replace(/-+$/, '')}-${hash}`;
};
const shortened = (slug: string, charsMax: number, whole: string): string =>
  slug.length <= charsMax ? slug : hashed(slug, charsMax, whole);

/** Of the folder's name and the path in it: the same for as long as the file stays where it is. */
export const documentId = (folder: string, path: string): string => {
  const slug = slugOf(`${folder}-${path.replace(/\.[A-Za-z]+$/, '')}`);
  const plain = slug
    .replace(/[^a-z0-9-]+/g, '')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');
  // What is lost of a path (letters of other scripts, its end) is told by its hash.
  return plain === slug && slug.length < SLUG_CHARS_MAX
    ? plain
    : hashed(plain, ID_CHARS_MAX, `${folder}\n${path}`);
};

/**
 * The passages of a document. An id follows from the document, the headings above and how often these came before, so
 * that an edit elsewhere in the document leaves it as it is.
 */
export const documentOf = (id: string, { title, sections }: ReadDocument): Runbook => {
  const plainTitle = visibleText(title).replace(/\s+/g, ' ').slice(0, TITLE_CHARS_MAX) || id;
  const times = new Map<string, number>();
  const passages = sections.slice(0, SECTIONS_MAX).flatMap(({ headings, text }): Passage[] => {
    const path = headings.map((heading) => visibleText(heading).replace(/\s+/g, ' ')).filter(Boolean);
    const slug = shortened(slugOf(path.join(' ')) || 'text', SLUG_CHARS_MAX, path.join('\n'));
    const nth = (times.get(slug) ?? 0) + 1;
    const parts = partsOf(visibleText(text));
    if (parts.length === 0) return [];
    times.set(slug, nth);
    // Two hyphens: no heading makes them, so that `Step 2` is never the second `Step`.
    const own = `${id}#${slug}${nth === 1 ? '' : `--${nth}`}`;
    return parts.map((part, index) => ({
      id: index === 0 ? own : `${own}--part${index + 1}`,
      runbookId: id,
      title: plainTitle,
      heading: (path.at(-1) ?? plainTitle).slice(0, TITLE_CHARS_MAX),
      // What a passage is about stands in the headings above it.
      tags: path.slice(0, 8).map((heading) => heading.slice(0, TITLE_CHARS_MAX)),
      text: part,
      versionHash: sha256(part),
    }));
  });
  return { id, title: plainTitle, tags: [], passages };
};

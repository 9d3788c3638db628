import { sha256 } from '@inquest/contracts/canonical-json';

/** What is found, rendered and cited: one section of one runbook. */
export type Passage = {
  /** `<runbook id>#<section slug>`: depends on nothing but these two, so that it survives edits anywhere else. */
  id: string;
  runbookId: string;
  /** Title of the runbook. */
  title: string;
  heading: string;
  tags: readonly string[];
  /** The section without its heading, line ends as `\n`. */
  text: string;
  /** sha256 of `text`. */
  versionHash: string;
};

export type Runbook = { id: string; title: string; tags: readonly string[]; passages: readonly Passage[] };

/** A file that is no runbook; `why` is for the person who wrote it. */
export class RunbookUnreadable extends Error {
  constructor(readonly why: string) {
    super(why);
    this.name = 'RunbookUnreadable';
  }
}

const ID = /^[a-z0-9][a-z0-9-]{1,79}$/;
const SLUG_CHARS_MAX = 80;
const TITLE_CHARS_MAX = 200;
const TAGS_MAX = 64;
const SECTIONS_MAX = 64;
/** Passages are rendered whole or not at all; ten of this size do not fill a projection's outer bound. */
export const PASSAGE_BYTES_MAX = 8 * 1024;

const refuse = (why: string): never => {
  throw new RunbookUnreadable(why);
};

const FRONT_MATTER = /^---\n([\s\S]*?)\n---(?:\n|$)/;
const KEYS = ['id', 'title', 'tags'];

const unquoted = (value: string): string => value.replace(/^(["'])(.*)\1$/, '$2').trim();
const listOf = (value: string): string[] =>
  value
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((item) => unquoted(item.trim()))
    .filter(Boolean);

const readFrontMatter = (text: string): { id: string; title: string; tags: string[]; body: string } => {
  const match =
    FRONT_MATTER.exec(text) ?? refuse('it does not begin with front matter between two lines of ---');
  const values = new Map<string, string>();
  for (const line of (match[1] ?? '').split('\n').filter((each) => each.trim() !== '')) {
    const [, key = '', value = ''] =
      /^([a-z]+):\s*(.*)$/.exec(line) ?? refuse(`front matter cannot hold the line "${line.slice(0, 60)}"`);
    if (!KEYS.includes(key)) refuse(`front matter has the unknown key ${key}; it takes ${KEYS.join(', ')}`);
    if (values.has(key)) refuse(`front matter has ${key} twice`);
    values.set(key, value.trim());
  }
  const id = unquoted(values.get('id') ?? '');
  const title = unquoted(values.get('title') ?? '');
  const tags = listOf(values.get('tags') ?? '');
  if (!ID.test(id)) refuse('id is missing or is not 2 to 80 of a-z, 0-9 and -');
  if (title === '' || title.length > TITLE_CHARS_MAX)
    refuse(`title is missing or longer than ${TITLE_CHARS_MAX} characters`);
  if (tags.length === 0 || tags.length > TAGS_MAX) refuse(`tags are missing or more than ${TAGS_MAX}`);
  return { id, title, tags, body: text.slice(match[0].length) };
};

/** `How to confirm` becomes `how-to-confirm`; letters of any script stay. */
export const slugOf = (heading: string): string =>
  heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, SLUG_CHARS_MAX);

type Section = { heading: string; slug: string; lines: string[] };

/** `## Heading` or `## Heading {#slug}`: a written slug keeps the id when the heading's words change. */
const sectionAt = (line: string): Section | undefined => {
  const [, words] = /^## +(.+?)\s*$/.exec(line) ?? [];
  if (words === undefined) return undefined;
  const [, heading = words, slug] = /^(.*?)\s*\{#([a-z0-9-]{1,80})\}$/.exec(words) ?? [];
  return { heading, slug: slug ?? slugOf(heading), lines: [] };
};

const sectionsOf = (body: string): Section[] => {
  const overview: Section = { heading: 'Overview', slug: 'overview', lines: [] };
  const sections = [overview];
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (marks !== undefined)
      fence = fence === undefined ? marks : marks.startsWith(fence) ? undefined : fence;
    // A line of a shell script may begin with ## too.
    const section = fence === undefined ? sectionAt(line) : undefined;
    if (section) sections.push(section);
    else sections.at(-1)?.lines.push(line);
  }
  if (fence !== undefined) refuse('a code block is opened and never closed');
  // The title stands in the front matter; repeated as a heading it is no text.
  overview.lines = overview.lines.filter((line) => !/^# /.test(line));
  return sections.filter(
    (section) => section !== overview || section.lines.some((line) => line.trim() !== ''),
  );
};

const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}]/u;

/** Reads one runbook. Throws {@link RunbookUnreadable}; nothing of a file that is partly right is taken. */
export const parseRunbook = (source: string): Runbook => {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (HIDDEN.test(text)) refuse('it contains control, zero-width or direction characters');
  if (!text.isWellFormed()) refuse('it is not well-formed Unicode');
  const { id, title, tags, body } = readFrontMatter(text);
  const sections = sectionsOf(body);
  if (sections.length === 0) refuse('it has no section (## Heading)');
  if (sections.length > SECTIONS_MAX) refuse(`it has ${sections.length} sections, more than ${SECTIONS_MAX}`);
  const seen = new Set<string>();
  const passages = sections.map(({ heading, slug, lines }): Passage => {
    const content = lines.join('\n').trim();
    if (slug === '') refuse(`the heading "${heading}" has neither letters nor digits`);
    if (seen.has(slug)) refuse(`two sections share the id ${id}#${slug}`);
    seen.add(slug);
    if (content === '') refuse(`the section "${heading}" is empty`);
    const bytes = Buffer.byteLength(content, 'utf8');
    if (bytes > PASSAGE_BYTES_MAX) {
      refuse(
        `the section "${heading}" has ${bytes} bytes, more than ${PASSAGE_BYTES_MAX}; split it by another ## heading`,
      );
    }
    return {
      id: `${id}#${slug}`,
      runbookId: id,
      title,
      heading,
      tags,
      text: content,
      versionHash: sha256(content),
    };
  });
  return { id, title, tags, passages };
};

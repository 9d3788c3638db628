import type { ReadDocument, Section } from './sections';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const SETEXT = /^ {0,3}(=+|-{3,})[ \t]*$/;
const FRONT_MATTER = /^---\n([^]*?)\n(?:---|\.\.\.)(?:\n|$)/;

/** Marks of links, emphasis and code go from a heading; its words stay. */
const plainHeading = (text: string): string =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`~]+/g, '')
    .trim();

/** Markdown of any origin by its headings; what stands in fences is no heading. Linear in the text. */
export const readMarkdown = (source: string, fallbackTitle: string): ReadDocument => {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const front = FRONT_MATTER.exec(text);
  const named = /^title:[ \t]*(.+)$/m.exec(front?.[1] ?? '')?.[1]?.replace(/^(["'])(.*)\1[ \t]*$/, '$2');
  const sections: Section[] = [];
  let title = named;
  let path: { level: number; heading: string }[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    sections.push({ headings: path.map(({ heading }) => heading), text: lines.join('\n') });
    lines = [];
  };
  const open = (level: number, heading: string): void => {
    close();
    const plain = plainHeading(heading);
    if (level === 1 && title === undefined) title = plain;
    path =
      level === 1 && plain === title
        ? []
        : [...path.filter((above) => above.level < level), { level, heading: plain }];
  };
  for (const line of (front ? text.slice(front[0].length) : text).split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      lines.push(line);
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      lines.push(line);
      continue;
    }
    const atx = ATX.exec(line);
    if (atx?.[1]) {
      open(atx[1].length, atx[2] ?? '');
      continue;
    }
    const before = lines.at(-1)?.trim() ?? '';
    const underlined = SETEXT.exec(line)?.[1];
    const isAlone = (lines.at(-2)?.trim() ?? '') === '' && !/^([>*+-]|\d+\.|\|)/.test(before);
    if (underlined !== undefined && before !== '' && isAlone) {
      lines.pop();
      open(underlined.startsWith('=') ? 1 : 2, before);
      continue;
    }
    lines.push(line);
  }
  close();
  return { title: title ?? fallbackTitle, sections };
};

import { Parser } from 'htmlparser2';
import type { ReadDocument, Section } from './sections';

/** What no reader of the page sees, or what is no text. */
const UNSEEN = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'embed',
  'canvas',
  'audio',
  'video',
  'head',
  'nav',
  'form',
  'button',
  'select',
  'textarea',
  'input',
]);
const BLOCKS = new Set([
  'p',
  'div',
  'section',
  'article',
  'main',
  'header',
  'footer',
  'aside',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'table',
  'thead',
  'tbody',
  'tr',
  'blockquote',
  'pre',
  'figure',
  'figcaption',
  'br',
  'hr',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
]);
const VOID = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'wbr',
  'area',
  'base',
  'col',
  'embed',
  'source',
  'track',
]);
const HEADING = /^h([1-6])$/;
const DEPTH_MAX = 512;

const isHidden = ({ hidden, style = '', 'aria-hidden': aria }: Record<string, string>): boolean =>
  hidden !== undefined ||
  aria === 'true' ||
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0[a-z%]*\s*(?:;|$)/i.test(style);

/** Reads a page as a person would: no scripts, no hidden text, no mark-up; sections by its headings. */
class PageReader {
  private readonly sections: Section[] = [];
  private title = '';
  private path: { level: number; heading: string }[] = [];
  private text = '';
  private heading: { level: number; text: string } | undefined;
  /** How deep below the outermost unseen element. */
  private unseen = 0;
  private depth = 0;
  private inTitle = false;
  private preformatted = 0;

  open(name: string, attributes: Record<string, string>): void {
    // The page's own comes first; pictures have titles as well.
    if (name === 'title' && this.title === '') this.inTitle = true;
    if (VOID.has(name)) {
      if (this.unseen === 0 && BLOCKS.has(name)) this.text += '\n';
      return;
    }
    this.depth += 1;
    if (this.unseen > 0 || UNSEEN.has(name) || isHidden(attributes) || this.depth > DEPTH_MAX) {
      this.unseen += 1;
      return;
    }
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) this.heading = { level: Number(level), text: '' };
    else if (BLOCKS.has(name)) this.text += name === 'li' ? '\n- ' : '\n';
    if (name === 'td' || name === 'th') this.text += ' | ';
    if (name === 'pre') this.preformatted += 1;
  }

  write(text: string): void {
    if (this.inTitle) this.title += text;
    if (this.unseen > 0) return;
    const shown = this.preformatted > 0 ? text : text.replace(/\s+/g, ' ');
    if (this.heading) this.heading.text += shown;
    else this.text += shown;
  }

  close(name: string): void {
    if (name === 'title') this.inTitle = false;
    if (VOID.has(name)) return;
    this.depth = Math.max(0, this.depth - 1);
    if (this.unseen > 0) {
      this.unseen -= 1;
      return;
    }
    if (name === 'pre') this.preformatted = Math.max(0, this.preformatted - 1);
    if (HEADING.test(name) && this.heading) this.enter(this.heading);
    else if (BLOCKS.has(name)) this.text += '\n';
  }

  read(fallbackTitle: string): ReadDocument {
    this.endSection();
    return { title: this.title.trim() || fallbackTitle, sections: this.sections };
  }

  private enter({ level, text }: { level: number; text: string }): void {
    this.heading = undefined;
    this.endSection();
    const heading = text.trim();
    if (level === 1 && this.title.trim() === '') this.title = heading;
    this.path =
      level === 1 && this.path.length === 0 && this.sections.length <= 1 && heading === this.title.trim()
        ? []
        : [...this.path.filter((above) => above.level < level), { level, heading }];
  }

  private endSection(): void {
    this.sections.push({
      headings: this.path.map(({ heading }) => heading),
      text: this.text.replace(/[ \t]+/g, ' '),
    });
    this.text = '';
  }
}

/** An HTML page by its headings. The parser takes any input; nothing of it is fetched or run. */
export const readHtml = (source: string, fallbackTitle: string): ReadDocument => {
  const reader = new PageReader();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.write(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true },
  );
  parser.end(source);
  return reader.read(fallbackTitle);
};

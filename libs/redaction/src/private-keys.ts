import type { Marker, Step } from './marker';

type Block = { secretClass: string; hint: string; begin: RegExp; end: RegExp };

const BLOCKS: readonly Block[] = [
  {
    secretClass: 'private-key',
    hint: 'PRIVATE KEY',
    begin: /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
    end: /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g,
  },
  {
    secretClass: 'private-key',
    hint: 'PuTTY-User-Key-File',
    begin: /Private-Lines: \d{1,4}\r?\n/g,
    end: /\r?\nPrivate-(?:MAC|Hash):/g,
  },
];

/** Scanned by hand: a lazy pattern over many BEGINs without an END would be quadratic. A cut key is redacted to the end. */
const redactBlocks = (text: string, { secretClass, hint, begin, end }: Block, mark: Marker): string => {
  if (!text.includes(hint)) return text;
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    begin.lastIndex = at;
    const opened = begin.exec(text);
    if (!opened) break;
    end.lastIndex = opened.index + opened[0].length;
    const closed = end.exec(text);
    const stop = closed ? closed.index + closed[0].length : text.length;
    parts.push(text.slice(at, opened.index), mark(secretClass, text.slice(opened.index, stop)));
    at = stop;
  }
  parts.push(text.slice(at));
  return parts.join('');
};

export const redactPrivateKeys: Step = (text, mark) =>
  BLOCKS.reduce((current, block) => redactBlocks(current, block, mark), text);

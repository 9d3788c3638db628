/** Anything that folding would change. U+0001 is the separator of text-index. */
const FOLDABLE = /[^\u0001!-_a-~ ]| {2}/; // eslint-disable-line no-control-regex

/**
 * The reading under which a quote is a quote (rule 30): NFKC, one kind of quotation mark and dash, white space
 * collapsed. Case stays.
 */
export const foldText = (text: string): string =>
  FOLDABLE.test(text)
    ? text
        .normalize('NFKC')
        .replace(/[\u2018\u2019\u201A\u201B\u2032\u00B4\u0060]/g, "'")
        .replace(/[\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB]/g, '"')
        .replace(/[\u2010-\u2015\u2212]/g, '-')
        .replace(/\s+/g, ' ')
    : text;

/** Spans between quotation marks or back ticks; single quotes are too often apostrophes to count. */
const QUOTED =
  /"([^"\n]{3,500})"|\u201C([^\u201D\n]{3,500})\u201D|\u201E([^\u201C\u201D\n]{3,500})[\u201C\u201D]|\u00AB([^\u00BB\n]{3,500})\u00BB|\u300C([^\u300D\n]{3,500})\u300D|`([^`\n]{3,500})`/g;

export const quotedSpans = (text: string): string[] =>
  [...text.matchAll(QUOTED)].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');

import type { Locale } from '@inquest/contracts/outcome';

export type Sentence = { text: string; at: number };

/** Abbreviations, versions and host names do not end a sentence; Intl.Segmenter knows most of them by what follows. */
export const sentencesOf = (text: string, locale: Locale): Sentence[] => {
  const segments = [...new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(text)];
  return segments.flatMap(({ segment, index }) => {
    const trimmed = segment.trim();
    return trimmed === '' ? [] : [{ text: trimmed, at: index + segment.indexOf(trimmed) }];
  });
};

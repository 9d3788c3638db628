import { folded } from './fold';

/** Words that carry no claim of their own. */
const NEUTRAL = new Set(
  (
    'the a an and or but of in on at to from for by with without into onto over under between during before after since until while when then than that this these those which who whom whose what where how why ' +
    'is are was were be been being has have had do does did will would can could may might shall should must it its they them their there here he she we you i one ones ' +
    'not no nor only also still again already even more most less least same other another each both few some any such very much many about around roughly ' +
    'first last next earlier later together meanwhile within against across per via as if so because shows show shown showed seen see says said reported reports report read reads found find finds began begin begins started start starts ' +
    'value values number numbers count counted total rows row lines line entries entry period window time times minute minutes second seconds hour hours'
  ).split(' '),
);

const stem = (word: string): string => word.replace(/(?:ing|ions?|ed|es|s|ly|ment)$/, '').slice(0, 7);

const wordsOf = (text: string): string[] =>
  (
    folded(text)
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  ).filter((word) => !NEUTRAL.has(word));

/** The share, 0 to 1, of an item's meaningful words whose stems occur in one of the lower-case texts that it may rest on. */
export const wordCoverage = (text: string, support: readonly string[]): number => {
  const words = [...new Set(wordsOf(text).map(stem))].filter((word) => word.length > 1);
  if (words.length === 0) return 1;
  return words.filter((word) => support.some((known) => known.includes(word))).length / words.length;
};

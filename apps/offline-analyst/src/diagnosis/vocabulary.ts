import type { Hypothesis } from '../rules/finding';

/** Words that mean the same in names of causes. */
const CLASSES: readonly (readonly [string, RegExp])[] = [
  ['database', /^(?:db|database|mysql|mariadb|postgres|postgresql|mongo|mongodb|sql)$/],
  ['full', /^(?:exhaustion|exhausted|exceeded|reached|limit|full|saturated|saturation)$/],
  ['wrong', /^(?:incorrect|invalid|wrong|bad|mismatch|faulty)$/],
  ['credentials', /^(?:credentials?|passwords?|authentication|auth)$/],
  ['connection', /^(?:connections?|pool)$/],
  ['missing', /^(?:missing|absent|lost)$/],
  ['configuration', /^(?:config|configuration|configmap|setting|settings)$/],
];
const LIKE_MIN = 0.5;
/** From this many on it is a list of causes and not a word in passing. */
const WORDS_MIN = 3;

const stem = (word: string): string => CLASSES.find(([, of]) => of.test(word))?.[0] ?? word;
const stemsOf = (cause: string): Set<string> =>
  new Set(
    cause
      .toLowerCase()
      .split(/[_\s-]+/)
      .map(stem),
  );

const likeness = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / (a.size + b.size - both);
};

/** The closed vocabulary that a question brings along: its words of the form `some_cause`, where it has several. */
export const wordsOffered = (question: string): string[] => {
  const words = [...new Set(question.match(/\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b/g) ?? [])];
  return words.length < WORDS_MIN ? [] : words;
};

/** The offered word for a cause: the same, or else the one that is most like it; without one, our own. */
export const offeredWord = (cause: string, words: readonly string[]): string => {
  const same = words.find((word) => word.toLowerCase() === cause.toLowerCase());
  if (same !== undefined) return same;
  const own = stemsOf(cause);
  const [first, second] = words
    .map((word) => ({ word, like: likeness(own, stemsOf(word)) }))
    .sort((a, b) => b.like - a.like);
  const isClear = first !== undefined && first.like >= LIKE_MIN && first.like > (second?.like ?? 0);
  return isClear ? first.word : cause;
};

/** `app/x` where the question asks for objects in that form. */
export const offeredObject = (object: string, question: string): string => {
  const [kind = '', ...name] = object.split('/');
  const form = kind === 'Service' ? 'app' : kind.toLowerCase();
  return question.includes(`${form}/<`) ? `${form}/${name.join('/')}` : object;
};

/** Object and cause of a hypothesis in the words of whoever asks. */
export const spoken = (
  { object, cause }: Pick<Hypothesis, 'object' | 'cause'>,
  question: string,
): { object: string; cause: string } => ({
  object: offeredObject(object, question),
  cause: offeredWord(cause, wordsOffered(question)),
});

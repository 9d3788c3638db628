import { nearestName } from './nearest';
import type { TextIndex } from './text-index';

/** Kubernetes draws generated suffixes from this alphabet: no vowels, no 0, 1, 3. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';
const POD_SUFFIX = new RegExp(`^(-[${SAFE}]{6,10})?(-([${SAFE}]{5}|\\d{1,3}))?$`);

/** Whether a pod name can be one of this workload's: `checkout-gateway` is no pod of `checkout`. */
export const isPodOf = (workload: string, pod: string): boolean =>
  pod.startsWith(workload) && POD_SUFFIX.test(pod.slice(workload.length));

const NAME_CHAR = /[\p{L}\p{N}_-]/u;

const isNameChar = (text: string, at: number): boolean => {
  if (at < 0 || at >= text.length) return false;
  const code = text.charCodeAt(at);
  if (code >= 128) return NAME_CHAR.test(text[at] as string);
  return (
    (code >= 97 && code <= 122) ||
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 45 ||
    code === 95
  );
};

/** Whether `name` stands in a text with no letter, digit, hyphen or underscore grown on to it. Linear: occurrences do not overlap. */
export const hasWhole = (text: string, name: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    if (!isNameChar(text, at - 1) && !isNameChar(text, at + name.length)) return true;
  }
  return false;
};

const POD_CHARS_MAX = 253;

const hasPodOf = (text: string, workload: string): boolean => {
  for (let at = text.indexOf(workload); at >= 0; at = text.indexOf(workload, at + workload.length)) {
    if (isNameChar(text, at - 1)) continue;
    let end = at + workload.length;
    while (end - at < POD_CHARS_MAX && isNameChar(text, end)) end += 1;
    if (isPodOf(workload, text.slice(at, end))) return true;
  }
  return false;
};

const answers = new WeakMap<TextIndex, Map<string, boolean>>();

/** A typed entity must be a whole token of the evidence; a workload is also shown by its pods. Asked once per text and name. */
export const showsEntity = (index: TextIndex, { type, name }: { type: string; name: string }): boolean => {
  const known = answers.get(index) ?? new Map<string, boolean>();
  answers.set(index, known);
  const key = `${type === 'workload' ? 'w' : ''} ${name}`;
  // The JSON text first: it needs no preparation, and only an escape beside the name hides it there.
  const answer =
    known.get(key) ??
    (hasWhole(index.text, name) ||
      (type === 'workload' && hasPodOf(index.text, name)) ||
      index.someFolded((text) => hasWhole(text, name) || (type === 'workload' && hasPodOf(text, name))));
  known.set(key, answer);
  return answer;
};

const RESEMBLING_CHARS_MAX = 300;

/** Whether a short string of the evidence is nearly a name: equal but for case, one of its pods, or with the same beginning. */
export const resembles = (value: string, name: string): boolean =>
  value.length <= RESEMBLING_CHARS_MAX && nearestName(name, [value]) !== null;

import { clock, listed } from '../rules/wording';
import type { Diagnosis } from './diagnose';

const OPENING = {
  ROOT_CAUSE_IDENTIFIED: 'Root cause: ',
  PROBABLE_CAUSE: 'Probable cause: ',
  INCONCLUSIVE: 'The evidence does not single out a cause. What stands out: ',
  NO_FAULT_FOUND: '',
} as const;

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const named = ({ best, onsetMs, status, change, followers }: Diagnosis): string => {
  if (!best) return '';
  const parts = [`${OPENING[status]}${lowerFirst(best.headline)}.`];
  if (onsetMs !== null) {
    const after = change
      ? `, after the event ${change.reason} on ${change.object.name} at ${clock(change.timeMs)}`
      : '';
    parts.push(`The first sign is from ${clock(onsetMs)}${after}.`);
  }
  const loud = followers.map(({ service }) => service);
  if (loud.length > 0)
    parts.push(
      `The complaints of ${listed(loud)} follow from it, since ${loud.length > 1 ? 'they call' : 'it calls'} ${best.service}.`,
    );
  return parts.join(' ');
};

const open = ({ symptoms, alternatives, troubled }: Diagnosis): string => {
  const [first] = alternatives;
  if (first) return `${OPENING.INCONCLUSIVE}${lowerFirst(first.headline)}.`;
  if (!troubled && symptoms.length > 0)
    return 'What could be read shows no lasting trouble, but not every source could be read, so neither a fault nor its absence is stated.';
  return symptoms.length > 0
    ? 'Something is wrong, as the symptoms below show, but the evidence does not single out a cause.'
    : 'The evidence is too thin for a conclusion.';
};

const quiet = ({ negatives, symptoms, aside }: Diagnosis): string =>
  [
    'No fault was found.',
    ...negatives.slice(0, 2).map(({ text }) => text),
    ...symptoms.slice(0, 1).map(({ text }) => text),
    ...(aside.length > 0
      ? ['The irregularities that were seen are listed; they are slight, short or over.']
      : []),
  ].join(' ');

/** The report's first paragraph; it holds nothing that its analyses do not. */
export const conclusionText = (diagnosis: Diagnosis): string => {
  if (diagnosis.best) return named(diagnosis);
  return diagnosis.status === 'NO_FAULT_FOUND' ? quiet(diagnosis) : open(diagnosis);
};

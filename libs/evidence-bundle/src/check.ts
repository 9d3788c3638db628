import type { BundleCheck, EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { RunStory } from './run-story';

/** What every check is given: the file as it was read, and what its chain says. */
export type Examined = { bundle: EvidenceBundle; isCanonical: boolean; story: RunStory };

export type Check = (examined: Examined) => BundleCheck[];

const bounded = (text: string): string => (text.length > 1_000 ? `${text.slice(0, 997)}...` : text);

export const holds = (check: string, detail: string): BundleCheck => ({
  check,
  holds: true,
  detail: bounded(detail),
});
export const fails = (check: string, detail: string): BundleCheck => ({
  check,
  holds: false,
  detail: bounded(detail),
});
/** It could not be asked: no evidence for it, and none against it. */
export const notChecked = (check: string, detail: string): BundleCheck => ({
  check,
  holds: null,
  detail: bounded(detail),
});

/** Holds unless something is wrong; the first thing that is gets told, and how many more there are. */
export const unless = (check: string, wrong: readonly string[], detail: string): BundleCheck => {
  const [first, ...more] = wrong;
  if (first === undefined) return holds(check, detail);
  return fails(check, more.length === 0 ? first : `${first}; and ${more.length} more`);
};

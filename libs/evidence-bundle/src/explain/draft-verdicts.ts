import { z } from 'zod';
import { DiagnosisDraft, KnowledgeAnswer } from '@inquest/contracts/draft';
import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { DraftVerdict, RejectedDraft, ReviewAttempt } from '@inquest/contracts/explanation';
import type { Violation } from '@inquest/contracts/violation';
import { resolvePointer } from '@inquest/evidence-rules/json-pointer';
import { snapshotIn } from '../checks/guards.check';
import { draftText } from '../guard-inputs';
import type { RunStory } from '../run-story';

/** Every member name of these contracts. */
const memberNames = (schema: unknown, names = new Set<string>()): ReadonlySet<string> => {
  if (typeof schema !== 'object' || schema === null) return names;
  const { properties } = schema as { properties?: Record<string, unknown> };
  for (const name of Object.keys(properties ?? {})) names.add(name);
  for (const value of Object.values(schema)) memberNames(value, names);
  return names;
};
const MEMBERS = new Set(
  [DiagnosisDraft, KnowledgeAnswer].flatMap((contract) => [...memberNames(z.toJSONSchema(contract))]),
);

/** A path may lead through a member that the author of the draft made up: its name is draft text like any other. */
const safePlace = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment === '' || /^\d{1,4}$/.test(segment) || MEMBERS.has(segment) ? segment : '*'))
    .join('/');

const PLACES_MAX = 64;

const failedRules = (violations: readonly Violation[]): DraftVerdict['failed'] => {
  const byRule = new Map<string, string[]>();
  for (const { ruleId, path } of violations)
    byRule.set(ruleId, [...(byRule.get(ruleId) ?? []), safePlace(path)]);
  return [...byRule].map(([ruleId, places]) => ({
    ruleId,
    count: places.length,
    places: [...new Set(places)].slice(0, PLACES_MAX),
  }));
};

const STANDS_CHARS_MAX = 600;

/** What the draft says at a place, as JSON; null where the place is none, as of a member that is missing. */
const standsAt = (draft: unknown, path: string): string | null => {
  const found = resolvePointer(draft, path);
  if (path === '' || !found.found) return null;
  return JSON.stringify(found.value).slice(0, STANDS_CHARS_MAX);
};

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

const unsupportedItems = (bundle: EvidenceBundle): RejectedDraft['unsupported'] => {
  const items = new Map((snapshotIn(bundle)?.items ?? []).map(({ id, text }) => [id, text]));
  return bundle.semantic.flatMap(({ data }) =>
    data.kind === 'JUDGED'
      ? data.verdicts
          .filter(({ verdict }) => verdict === 'UNSUPPORTED')
          .map(({ itemId }) => ({ itemId, text: items.get(itemId) ?? '' }))
      : [],
  );
};

const rejectedDraft = (
  bundle: EvidenceBundle,
  story: RunStory,
  revision: number,
  violations: readonly Violation[],
): RejectedDraft => {
  const text = draftText(bundle, story, revision);
  const draft = parsed(text);
  return {
    text: text ?? null,
    violations: violations.map((violation) => ({ ...violation, stands: standsAt(draft, violation.path) })),
    unsupported: story.accepted?.revision === revision ? unsupportedItems(bundle) : [],
  };
};

/**
 * What became of each draft. `withDrafts` adds the texts of those that were not released, with every violation in place:
 * unverified text, for people who operate the system and for nobody else.
 */
export const draftVerdicts = (
  bundle: EvidenceBundle,
  story: RunStory,
  { withDrafts }: { withDrafts: boolean },
): DraftVerdict[] =>
  story.drafts.map(({ revision }): DraftVerdict => {
    const violations = story.rejections.find((each) => each.revision === revision)?.violations ?? [];
    const accepted = story.accepted?.revision === revision;
    const isReleased = accepted && bundle.report !== null;
    return {
      revision,
      verdict: accepted ? 'ACCEPTED' : violations.length > 0 ? 'REJECTED' : 'NOT_JUDGED',
      violations: violations.length,
      failed: failedRules(violations),
      ...(withDrafts && !isReleased && { draft: rejectedDraft(bundle, story, revision, violations) }),
    };
  });

/** What the judge said, attempt by attempt: outcomes, item ids and reason codes. */
export const reviewAttempts = (bundle: EvidenceBundle, story: RunStory): ReviewAttempt[] =>
  story.attempts.map(({ attempt, step, outcome, failure }) => {
    const judged = bundle.semantic.find((each) => each.step === step)?.data;
    const items = judged?.kind === 'JUDGED' ? judged.verdicts : [];
    return {
      attempt,
      outcome,
      failure,
      unsupported: items
        .filter(({ verdict }) => verdict === 'UNSUPPORTED')
        .map(({ itemId, reasonCode }) => ({ itemId, reasonCode })),
    };
  });

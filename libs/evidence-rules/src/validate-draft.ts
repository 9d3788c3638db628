import type { VerifiedSource } from '@inquest/contracts/outcome';
import type { Attention } from '@inquest/contracts/evidence-facts';
import type { Violation } from '@inquest/contracts/violation';
import { citationsOf } from './citations';
import { draftView } from './draft-view';
import type { GuardInput } from './guard-input';
import { proseItems } from './prose-items';
import type { DraftView, Finding, Rule } from './rule';
import { RULES } from './rules';
import { frozenSnapshot } from './rules/44-snapshot.rule';
import { freezeSnapshot } from './snapshot';

export type Verdict =
  | {
      kind: 'ACCEPTED';
      /** Canonical JSON of the frozen snapshot, and its sha256. */
      snapshotText: string;
      snapshotHash: string;
      reportHash: string;
      /** Number of items that the judge will see; none only for the not-found answer. */
      items: number;
      verifiedSources: VerifiedSource[];
      attention: Attention[];
    }
  | { kind: 'REJECTED'; violations: Violation[] };

/** Stands where a rule would, when a rule failed itself. */
export const INTERNAL_RULE = '0 INTERNAL';

const VIOLATIONS_MAX = 64;
const VIOLATIONS_PER_RULE_MAX = 16;
const ATTENTION_MAX = 256;

const clipped = (text: string, charsMax: number): string => text.toWellFormed().slice(0, charsMax);

const violationOf = (ruleId: string, finding: Finding): Violation => ({
  ruleId,
  analysisId: finding.analysisId === undefined ? null : clipped(finding.analysisId, 16),
  path: clipped(finding.path, 300),
  toolCallId: finding.toolCallId === undefined ? null : clipped(finding.toolCallId, 128),
  message: clipped(finding.message, 500),
  repairable: finding.repairable ?? true,
  candidates: (finding.candidates ?? []).slice(0, 8).filter((pointer) => pointer.length <= 400),
});

function* firstOf<T>(items: Iterable<T>, max: number): Generator<T> {
  let left = max;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

/** In the order of the rules. What no repair can help comes within the bound before all else. */
const bounded = (violations: readonly Violation[]): Violation[] => {
  if (violations.length <= VIOLATIONS_MAX) return [...violations];
  const kept = new Set(
    [...violations].sort((a, b) => Number(a.repairable) - Number(b.repairable)).slice(0, VIOLATIONS_MAX),
  );
  return violations.filter((violation) => kept.has(violation));
};

const run = (
  rules: readonly Rule[],
  severity: Rule['severity'],
  view: DraftView,
): { ruleId: string; finding: Finding }[] =>
  rules
    .filter((rule) => rule.severity === severity)
    .flatMap(({ id, check }) =>
      [...firstOf(check(view), VIOLATIONS_PER_RULE_MAX)].map((finding) => ({ ruleId: id, finding })),
    );

/** A SOFT finding belongs to the item at its path. */
const attentionTo = (view: DraftView): Attention[] => {
  const items = proseItems(view.reading);
  const notes = run(RULES, 'SOFT', view).flatMap(({ ruleId, finding }) => {
    const item = items.find(({ path }) => `${finding.path}/`.startsWith(path.replace(/(text|cause)$/, '')));
    return item ? [{ ruleId, itemId: item.id, note: clipped(finding.message, 300) }] : [];
  });
  return notes.slice(0, ATTENTION_MAX);
};

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** A scope is written by the model, as arguments: only what has the form of a name may appear beside a fallback. */
const nameOf = (text: string | undefined): { name: string } | undefined =>
  text !== undefined && NAME.test(text) ? { name: text } : undefined;

const verifiedSourcesOf = (view: DraftView): VerifiedSource[] => {
  const cited = new Set(
    [...citationsOf(view.reading)].filter(({ use }) => use === 'SUPPORT').map(({ toolCallId }) => toolCallId),
  );
  return view.ledger.calls
    .flatMap(({ toolCallId, entry }) => {
      if (!entry || !cited.has(toolCallId)) return [];
      const [service, namespace] = [nameOf(entry.scope.service), nameOf(entry.scope.namespace)];
      return [
        {
          toolCallId: entry.toolCallId,
          tool: entry.tool,
          ...(service ? { service: service.name } : {}),
          ...(namespace ? { namespace: namespace.name } : {}),
          window: entry.window,
        },
      ];
    })
    .slice(0, 128);
};

const judge = (input: GuardInput): Verdict => {
  const view = draftView(input);
  const found = run(RULES, 'HARD', view);
  if (found.length > 0)
    return {
      kind: 'REJECTED',
      violations: bounded(found.map(({ ruleId, finding }) => violationOf(ruleId, finding))),
    };
  if (!view.reading.diagnosis && !view.reading.answer)
    throw new Error('a draft without violations has a form');
  const attention = attentionTo(view);
  const frozen = freezeSnapshot(view, attention);
  const { snapshot, text, hash } = frozen;
  const broken = [...frozenSnapshot.checkFrozen(frozen, input.draftText, view.ledger.digests)];
  if (broken.length > 0)
    return { kind: 'REJECTED', violations: broken.map((finding) => violationOf(frozenSnapshot.id, finding)) };
  return {
    kind: 'ACCEPTED',
    snapshotText: text,
    snapshotHash: hash,
    reportHash: snapshot.reportHash,
    items: snapshot.items.length,
    verifiedSources: verifiedSourcesOf(view),
    attention,
  };
};

/**
 * Every rule over one draft and the ledger of its run. Pure, linear in its input, and total: what a rule did not foresee is a
 * rejection that no repair can help, never a release.
 */
export const validateDraft = (input: GuardInput): Verdict => {
  try {
    return judge(input);
  } catch {
    return {
      kind: 'REJECTED',
      violations: [
        violationOf(INTERNAL_RULE, {
          path: '',
          message: 'the guard could not judge this draft',
          repairable: false,
        }),
      ],
    };
  }
};

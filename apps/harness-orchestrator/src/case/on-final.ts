import type { CaseEvent, InconclusiveReason } from '@inquest/contracts/case-decision';
import { diagnosisRef } from '@inquest/contracts/case-steps';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import type { Protocol } from './case.commands';
import { sealCase, sealFailed, sealInconclusive } from './case-endings';
import { proceed, requestGuard, requestInvestigator } from './case-steps';
import type { Case, OpenCaseStep } from './case.state';
import { decline } from './go-on';

type Now = Protocol & { nowMs: number };

/** The review that led here; null on the ordinary path. */
const reviewOf = (c: Case) => c.reviews.find(({ review }) => review === c.building?.review);

/** No diagnosis that both guards pass: an early one is declined and the case goes on, an ordinary one ends it without a text. */
export const finalFailed = (
  c: Case,
  reason: Exclude<InconclusiveReason, 'NO_CAUSE_ESTABLISHED'>,
  now: Now,
): CaseEvent[] => {
  const review = reviewOf(c);
  return review === undefined
    ? sealInconclusive(c, reason)
    : decline(c, review, 'FINAL_VALIDATION_FAILED', '', now);
};

export const onProof = (c: Case, open: OpenCaseStep, result: EvidenceResult, now: Now): CaseEvent[] => {
  const { building } = c;
  if (building === null) return [];
  switch (result.kind) {
    case 'ACCEPTED': {
      const { revision, snapshotHash, reportHash, items, verifiedSources, conclusionStatus = null } = result;
      const event: CaseEvent = {
        type: 'FinalEvidenceAccepted',
        revision,
        step: open.step,
        snapshotHash,
        reportHash,
        items,
        verifiedSources,
        conclusionStatus,
      };
      return proceed(c, [event], (next) => requestGuard(next, 'verdict', 0, 1, now.nowMs));
    }
    case 'REJECTED': {
      const { revision, violations } = result;
      const mayRepair = building.drafts.length <= c.opened.policy.repairsMax;
      return proceed(c, [{ type: 'FinalEvidenceRejected', revision, step: open.step, violations }], (next) =>
        mayRepair
          ? requestInvestigator(next, 'refine', next.turn, now.nowMs)
          : finalFailed(next, 'FINAL_VALIDATION_FAILED', now),
      );
    }
    case 'FAILED':
      return guardAbsent(c, open, now);
  }
};

/** The guard did not judge: nothing can be said, and nothing is. */
export const guardAbsent = (c: Case, open: OpenCaseStep, now: Now): CaseEvent[] =>
  proceed(c, [{ type: 'CaseStepTimedOut', service: 'evidence', step: open.step }], (next) =>
    reviewOf(next) === undefined
      ? sealFailed(next, 'EVIDENCE_GUARD_UNAVAILABLE')
      : finalFailed(next, 'FINAL_VALIDATION_FAILED', now),
  );

/** The canonical checkpoint, the same for both paths (E10), and the seal. */
const complete = (c: Case): CaseEvent[] => {
  const { building } = c;
  if (!building?.accepted) return sealFailed(c, 'EVIDENCE_GUARD_UNAVAILABLE');
  const { snapshotHash, step: evidenceStep, conclusionStatus } = building.accepted;
  const { diagnosis, review } = building;
  const artifactRef = diagnosisRef(diagnosis);
  return proceed(
    c,
    [{ type: 'DiagnosisCompleted', diagnosis, artifactRef, review, snapshotHash, evidenceStep }],
    (next) =>
      sealCase(
        next,
        conclusionStatus === 'INCONCLUSIVE'
          ? { kind: 'INCONCLUSIVE', reason: 'NO_CAUSE_ESTABLISHED', snapshotHash, evidenceStep }
          : { kind: 'DIAGNOSED', snapshotHash, evidenceStep },
      ),
  );
};

export const onVerdict = (c: Case, open: OpenCaseStep, result: SemanticResult, now: Now): CaseEvent[] => {
  const isOurs = result.kind === 'JUDGED' && result.snapshotHash === c.building?.accepted?.snapshotHash;
  const { attempt, step } = open;
  const recorded = (outcome: 'SUPPORTED' | 'UNSUPPORTED' | 'FAILED'): CaseEvent => ({
    type: 'FinalSemanticRecorded',
    attempt,
    step,
    outcome,
    failure: outcome === 'FAILED' ? (result.kind === 'FAILED' ? result.failure : 'INVALID_RESPONSE') : null,
  });
  if (!isOurs) {
    return proceed(c, [recorded('FAILED')], (next) =>
      attempt < c.opened.policy.semanticAttemptsMax
        ? requestGuard(next, 'verdict', 0, attempt + 1, now.nowMs)
        : finalFailed(next, 'SEMANTIC_UNAVAILABLE', now),
    );
  }
  return result.verdict === 'SUPPORTED'
    ? proceed(c, [recorded('SUPPORTED')], complete)
    : proceed(c, [recorded('UNSUPPORTED')], (next) => finalFailed(next, 'FINAL_VALIDATION_FAILED', now));
};

import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import { evaluatorRequested, investigatorRequested } from '@inquest/contracts/case-facts';
import type { InvestigationPrompt } from '@inquest/contracts/case-parts';
import { evidenceRequested } from '@inquest/contracts/evidence-facts';
import { semanticRequested } from '@inquest/contracts/semantic-facts';
import { ragRequested, toolRequested } from '@inquest/contracts/tool-facts';
import type { WorkRequest } from '../run/requests-of';
import { instant } from './case-steps';
import { actionOf, hypothesisOf, pendingReview, type Case, type OpenCaseStep } from './case.state';
import { isDiagnostic } from './early-review';
import { actionsLeft, actionsNow, permittedNext } from './turn-validation';

const of = <Contract extends FactContract>(contract: Contract, data: DataOf<Contract>): WorkRequest => ({
  contract,
  data,
});

const repairOf = (c: Case) => {
  const [draft] = c.building?.drafts ?? [];
  if (draft === undefined) return null;
  const validToolCallIds = c.actions.filter((a) => a.state === 'settled').map((a) => a.toolCallId);
  return { draftStep: draft.step, violations: [...(c.building?.violations ?? [])], validToolCallIds };
};

const investigatorWork = (c: Case, open: OpenCaseStep): WorkRequest => {
  const { opened } = c;
  const promptVersion = open.promptVersion as InvestigationPrompt;
  const h = hypothesisOf(c, open.hypothesisId);
  const mode = open.mode ?? 'INVESTIGATE';
  const isTurn = h !== undefined && (mode === 'INVESTIGATE' || mode === 'PREPARE');
  return of(investigatorRequested, {
    mode,
    promptVersion,
    turn: Number(/^t(\d+)/.exec(open.step)?.[1] ?? 0),
    attempt: open.attempt,
    question: opened.question,
    source: opened.source,
    window: opened.window,
    zone: opened.zone,
    asOf: opened.asOf,
    locale: opened.locale,
    hypothesisId: open.hypothesisId,
    hypotheses: c.hypotheses.map(
      ({ id, statement, confirmedBy, refutedBy, confidence, state, reserved, spent }) => ({
        id,
        statement,
        confirmedBy,
        refutedBy,
        confidence,
        account: { state, budget: opened.policy.actionsPerHypothesis, reserved, spent },
      }),
    ),
    actions: c.actions.map(({ status: _s, evidenceStatus: _e, assessed: _a, ...action }) => action),
    findings: [...c.findings],
    declined: c.reviews.flatMap(({ review, hypothesisId, decline }) =>
      decline === null ? [] : [{ review, hypothesisId, reason: decline.reason, text: decline.text }],
    ),
    leading: c.building?.leading ?? null,
    permitted: isTurn ? permittedNext(c, h, mode, promptVersion) : [],
    hypothesesMax: opened.policy.hypothesesMax,
    actionsLeft: h === undefined ? 0 : actionsLeft(c, h),
    actionsPerTurnMax: h === undefined ? 0 : actionsNow(c, h),
    previousInvalid: open.attempt > 1 ? c.previousInvalid : null,
    repair: mode === 'REPAIR' ? repairOf(c) : null,
    draftBytesMax: opened.policy.draftBytesMax,
    deadlineAt: instant(open.deadlineAtMs),
  });
};

/** Everything, in one order or its reverse; of the author's there are neither ratings nor reasons nor words (E7). */
const evaluatorWork = (c: Case, open: OpenCaseStep): WorkRequest => {
  const review = pendingReview(c);
  if (review === undefined || open.pass === null) throw new Error('a pass was requested without its review');
  const ordered = <T>(items: T[]): T[] => (open.pass === 1 ? items : items.reverse());
  const hypotheses = c.hypotheses.map(({ id, statement, confirmedBy, refutedBy }) => ({
    id,
    statement,
    confirmedBy,
    refutedBy,
  }));
  const evidence = c.actions.flatMap(({ toolCallId, tool, service, step, contentHash, state }) =>
    state === 'settled' && contentHash !== null ? [{ toolCallId, tool, service, step, contentHash }] : [],
  );
  const counterchecks = c.findings
    .filter(({ id }) => review.countercheckRefs.includes(id))
    .map((f) => ({ toolCallIds: [...f.toolCallIds], diagnostic: isDiagnostic(f, review.hypothesisId) }));
  return of(evaluatorRequested, {
    promptVersion: open.promptVersion as DataOf<typeof evaluatorRequested>['promptVersion'],
    diagnosis: c.diagnoses,
    review: review.review,
    pass: open.pass,
    attempt: open.attempt,
    question: c.opened.question,
    asOf: c.opened.asOf,
    hypotheses: ordered(hypotheses),
    evidence: ordered(evidence),
    counterchecks: ordered(counterchecks),
    deadlineAt: instant(open.deadlineAtMs),
  });
};

const actionWork = (c: Case, open: OpenCaseStep): WorkRequest => {
  const action = actionOf(c, open.toolCallId);
  if (action === undefined) throw new Error('an action was requested that the chain does not hold');
  return of(action.service === 'rag' ? ragRequested : toolRequested, {
    toolCallId: action.toolCallId,
    providerId: null,
    tool: action.tool,
    argumentsText: action.argumentsText,
    source: c.opened.source,
    asOf: c.opened.asOf,
    projectionBytesMax: c.opened.policy.projectionBytesMax,
    deadlineAt: instant(open.deadlineAtMs),
  });
};

const proofWork = (c: Case, open: OpenCaseStep): WorkRequest => {
  const drafts = c.building?.drafts ?? [];
  const current = drafts.at(-1);
  if (current === undefined)
    throw new Error('a proof was requested for a draft that the chain does not hold');
  return of(evidenceRequested, {
    intent: 'DIAGNOSIS',
    revision: current.revision,
    draftStep: current.step,
    draftService: 'investigator',
    previousDraftStep: drafts.at(-2)?.step ?? null,
    repairOf: drafts.length > 1 ? [...(c.building?.violations ?? [])] : [],
    ledger: c.actions
      .filter(({ state }) => state === 'settled')
      .map(({ toolCallId, tool, service, step, status }) => ({
        toolCallId,
        tool,
        service,
        step,
        status: status ?? ('PROJECTING' as const),
      })),
    question: c.opened.question,
    zone: c.opened.zone,
    asOf: c.opened.asOf,
    ruleSet: c.opened.ruleSet,
    draftBytesMax: c.opened.policy.draftBytesMax,
    deadlineAt: instant(open.deadlineAtMs),
  });
};

/** The message for one requested step: a pure function of the chain, so that whoever finds it missing writes the same one. */
export const caseRequestOf = (c: Case, open: OpenCaseStep): WorkRequest => {
  switch (open.kind) {
    case 'form':
    case 'turn':
    case 'final':
    case 'refine':
      return investigatorWork(c, open);
    case 'review':
      return evaluatorWork(c, open);
    case 'act':
      return actionWork(c, open);
    case 'proof':
      return proofWork(c, open);
    case 'verdict': {
      const accepted = c.building?.accepted;
      if (!accepted) throw new Error('a verdict was requested without an accepted draft');
      return of(semanticRequested, {
        attempt: open.attempt,
        evidenceStep: accepted.step,
        snapshotHash: accepted.snapshotHash,
        deadlineAt: instant(open.deadlineAtMs),
      });
    }
  }
};

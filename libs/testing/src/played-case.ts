import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { CaseEvent } from '@inquest/contracts/case-decision';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import { caseStepOf, diagnosisRef } from '@inquest/contracts/case-steps';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId, Step, ToolCallId, WorkService } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import {
  act,
  building,
  caseRequest,
  CITED_CALL,
  declined,
  H1,
  H2,
  HASH,
  opened,
  pass,
  PLAYED_AT,
  researched,
  UNCITED_CALL,
  underReview,
} from './played-case-events';

/** Cases as the services record them, for whoever reads their chains. */
export type PlayedCase = {
  request: CaseRequested;
  /** One list for each entry of the chain. */
  entries: CaseEvent[][];
  /** Results that stand in the log beside it. */
  results: [WorkService, Step, unknown][];
};

export const PLAYED_AUTHOR = 'rules-investigation';
/** Words of a draft that no guard passed: nobody may ever be shown them. */
export const WITHHELD = 'The moon did it.';

export const PLAYED_REPORT: DiagnosisDraft = {
  conclusion: { status: 'ROOT_CAUSE_IDENTIFIED', text: 'The pool is exhausted.', analysisIds: ['a1'] },
  analyses: [
    {
      id: 'a1',
      kind: 'CAUSE',
      text: 'Checkout waits for connections.',
      toolCallIds: [CITED_CALL],
      entities: [{ type: 'service', name: 'checkout', toolCallId: CITED_CALL }],
    },
  ],
  actionPlan: [],
  recommendations: [{ id: 'r1', text: 'Return connections when a request ends.', analysisIds: ['a1'] }],
  limitations: [],
};
const NO_CAUSE: DiagnosisDraft = {
  conclusion: { status: 'INCONCLUSIVE', text: 'Nothing tells.', analysisIds: ['a1'] },
  analyses: [{ id: 'a1', kind: 'OBSERVATION', text: 'Checkout waits.', toolCallIds: [CITED_CALL] }],
  actionPlan: [],
  recommendations: [],
  limitations: [],
};
export const PLAYED_REPORT_HASH = sha256(canonicalJson(PLAYED_REPORT));

const snapshotOf = (caseId: RunId, reportText: string): string =>
  canonicalJson({
    schema: 'inquest.snapshot.v1',
    runId: caseId,
    intent: 'DIAGNOSIS',
    revision: 1,
    question: 'Why is checkout slow?',
    report: reportText,
    reportHash: sha256(reportText),
    items: [],
    evidence: [],
    ruleSet: 'evidence-2',
  });

const payload = (text: string) => ({ sha256: sha256(text), bytes: Buffer.byteLength(text), inline: text });

export const playedEntry = (toolCallId: ToolCallId): LedgerEntry => ({
  toolCallId,
  providerId: null,
  tool: 'search_logs',
  toolset: 'incident',
  arguments: {},
  source: 'shop-pool',
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorClass: null,
  scope: {},
  window: null,
  dataSpan: null,
  projection: payload('{"rows":["pool timeout"]}'),
  matched: 1,
  returned: 1,
  truncated: false,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  redactedCount: 0,
  untrustedPaths: [],
  contentHash: sha256(toolCallId),
  asOf: PLAYED_AT,
  ms: 1,
});

const record = {
  model: PLAYED_AUTHOR,
  startedAt: PLAYED_AT,
  ms: 1,
  requestHash: HASH,
  rawHash: HASH,
  usage: null,
  finishReason: 'stop',
};

const toolResults: PlayedCase['results'] = [
  ['tool', act(1), playedEntry(CITED_CALL)],
  ['tool', act(2), playedEntry(UNCITED_CALL)],
];

const spent = { turns: 3, modelCalls: 7, actions: 2, tokens: 900 };
const finalStep = caseStepOf(4, 'final', 0, 1);
const proofStep = caseStepOf(4, 'proof', 1, 1);

type Final = {
  received: CaseEvent;
  accepted: CaseEvent;
  snapshotHash: string;
  results: PlayedCase['results'];
};

/** A draft that the evidence guard passed, with the facts that hold it. */
const finalOf = (caseId: RunId, report: DiagnosisDraft): Final => {
  const reportText = canonicalJson(report);
  const snapshotText = snapshotOf(caseId, reportText);
  const snapshotHash = sha256(snapshotText);
  const reportHash = sha256(reportText);
  const verifiedSources = [{ toolCallId: CITED_CALL, tool: 'search_logs', window: null }];
  const conclusionStatus = report.conclusion.status;
  return {
    snapshotHash,
    received: {
      type: 'FinalDraftReceived',
      revision: 1,
      step: finalStep,
      sha256: reportHash,
      bytes: Buffer.byteLength(reportText),
    },
    accepted: {
      type: 'FinalEvidenceAccepted',
      revision: 1,
      step: proofStep,
      snapshotHash,
      reportHash,
      items: 1,
      verifiedSources,
      conclusionStatus,
    },
    results: [
      ...toolResults,
      ['investigator', finalStep, { kind: 'DRAFT', draft: payload(reportText), record }],
      [
        'evidence',
        proofStep,
        {
          kind: 'ACCEPTED',
          revision: 1,
          snapshot: payload(snapshotText),
          snapshotHash,
          reportHash,
          items: 1,
          verifiedSources,
          attention: [],
          ruleSet: 'evidence-2',
          ms: 1,
          conclusionStatus,
        },
      ],
    ],
  };
};

const judged = (outcome: 'SUPPORTED' | 'UNSUPPORTED'): CaseEvent => ({
  type: 'FinalSemanticRecorded',
  attempt: 1,
  step: caseStepOf(4, 'verdict', 0, 1),
  outcome,
  failure: null,
});

const completed = (diagnosis: number, review: number | null, snapshotHash: string): CaseEvent => ({
  type: 'DiagnosisCompleted',
  diagnosis,
  artifactRef: diagnosisRef(diagnosis),
  review,
  snapshotHash,
  evidenceStep: proofStep,
});

const ends = (
  caseId: RunId,
  diagnosis: number,
  review: number | null,
  report = PLAYED_REPORT,
): PlayedCase => {
  const { received, accepted, snapshotHash, results } = finalOf(caseId, report);
  const evidenceStep = proofStep;
  const established = report !== NO_CAUSE;
  const outcome = established
    ? ({ kind: 'DIAGNOSED', snapshotHash, evidenceStep } as const)
    : ({ kind: 'INCONCLUSIVE', reason: 'NO_CAUSE_ESTABLISHED', snapshotHash, evidenceStep } as const);
  return {
    request: caseRequest(caseId),
    entries: [
      [received],
      [accepted],
      [judged('SUPPORTED')],
      [completed(diagnosis, review, snapshotHash)],
      [{ type: 'CaseOutcomeSealed', outcome }],
      [
        established
          ? { type: 'CaseDiagnosed', snapshotHash, evidenceStep, ...spent }
          : {
              type: 'CaseInconclusive',
              reason: 'NO_CAUSE_ESTABLISHED',
              snapshotHash,
              evidenceStep,
              fallback: null,
              ...spent,
            },
      ],
    ],
    results,
  };
};

const after = (before: CaseEvent[][], end: PlayedCase): PlayedCase => ({
  ...end,
  entries: [...before, ...end.entries],
});

const accepts = (review: number): CaseEvent[][] => [
  ...underReview(review),
  [pass(review, review, 1)],
  [pass(review, review, 2), { type: 'EarlyReviewAccepted', review, hypothesisId: H1 }],
];

const closes: CaseEvent[][] = [
  [{ type: 'HypothesisConcluded', hypothesisId: H1, confidence: 'strongly_supported' }],
  [{ type: 'HypothesisRejected', hypothesisId: H2, reason: 'Handshakes succeed.' }],
  [building(1, null)],
];

/** The first request is accepted. */
export const acceptedEarly = (caseId: RunId, request = caseRequest(caseId)): PlayedCase => ({
  ...after([...researched(request), ...accepts(1)], ends(caseId, 1, 1)),
  request,
});

/** The first request is declined, the second accepted; between the two a newer prompt is adopted. */
export const declinedThenAccepted = (caseId: RunId): PlayedCase =>
  after(
    [
      ...researched(caseRequest(caseId)),
      ...declined(1),
      [{ type: 'PromptVersionAdopted', from: 'investigation_v2', to: 'investigation_v3' }],
      ...accepts(2),
    ],
    ends(caseId, 2, 2),
  );

/** The ordinary path: all accounts are closed first. */
export const diagnosedAtEnd = (caseId: RunId): PlayedCase =>
  after([...researched(caseRequest(caseId)), ...closes], ends(caseId, 1, null));

/** Both guards pass a report that establishes nothing. */
export const noCauseEstablished = (caseId: RunId): PlayedCase =>
  after([...researched(caseRequest(caseId)), ...closes], ends(caseId, 1, null, NO_CAUSE));

/** The judge does not follow: what was drafted is withheld. */
export const withheld = (caseId: RunId): PlayedCase => {
  const draft = { ...PLAYED_REPORT, conclusion: { ...PLAYED_REPORT.conclusion, text: WITHHELD } };
  const { received, accepted, results } = finalOf(caseId, draft);
  const reason = 'FINAL_VALIDATION_FAILED';
  const nothing = { snapshotHash: null, evidenceStep: null };
  return {
    request: caseRequest(caseId),
    entries: [
      ...researched(caseRequest(caseId)),
      ...closes,
      [received],
      [accepted],
      [judged('UNSUPPORTED')],
      [{ type: 'CaseOutcomeSealed', outcome: { kind: 'INCONCLUSIVE', reason, ...nothing } }],
      [{ type: 'CaseInconclusive', reason, ...nothing, fallback: 'SEMANTIC_UNSUPPORTED', ...spent }],
    ],
    results,
  };
};

export const failedToForm = (caseId: RunId): PlayedCase => {
  const request = caseRequest(caseId);
  return {
    request,
    entries: [
      opened(request),
      [
        {
          type: 'InvalidResponseRecorded',
          namespace: 'analysis/forming',
          step: caseStepOf(0, 'form', 0, 1),
          why: 'FEWER_THAN_TWO_HYPOTHESES',
          count: 1,
        },
        { type: 'CaseOutcomeSealed', outcome: { kind: 'FAILED', reason: 'FORMING_FAILED' } },
      ],
      [{ type: 'CaseFailed', reason: 'FORMING_FAILED', turns: 0, modelCalls: 1, actions: 0, tokens: 120 }],
    ],
    results: [],
  };
};

/** Somebody stops it while a draft that both guards passed waits for its release. */
export const cancelledAtTheEnd = (caseId: RunId): PlayedCase => {
  const whole = acceptedEarly(caseId);
  return {
    ...whole,
    entries: [
      ...whole.entries.slice(0, -2),
      [
        {
          type: 'CaseCancellationRequested',
          cause: 'PERSON',
          outstanding: 0,
          settleBy: '2026-03-01T10:01:00.000Z',
        },
      ],
      [{ type: 'CaseCancelled', cause: 'PERSON', sealedSeq: null, ...spent }],
    ],
  };
};

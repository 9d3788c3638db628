import { sha256 } from '@inquest/contracts/canonical-json';
import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import type { FindingId, Hypothesis, HypothesisId, InvestigationPolicy } from '@inquest/contracts/case-parts';
import { caseStepOf, reviewStepOf } from '@inquest/contracts/case-steps';
import type { RunId, Step, ToolCallId, WorkService } from '@inquest/contracts/ids';

export const PLAYED_AT = '2026-03-01T10:00:00.000Z';
export const HASH = 'a'.repeat(64);

export const CITED_CALL = 'tc-1-0' as ToolCallId;
export const UNCITED_CALL = 'tc-2-0' as ToolCallId;
export const H1 = 'h1' as HypothesisId;
export const H2 = 'h2' as HypothesisId;
const F1 = 'f2-0' as FindingId;
const F2 = 'f3-0' as FindingId;
export const act = (turn: number): Step => caseStepOf(turn, 'act', 0, 1);

const POLICY: InvestigationPolicy = {
  hypothesesMax: 4,
  actionsPerHypothesis: 3,
  actionsTotalMax: 9,
  actionsPerTurnMax: 2,
  turnsMax: 20,
  maxInvalidResponses: 2,
  evaluatorAttemptsMax: 2,
  semanticAttemptsMax: 2,
  repairsMax: 1,
  lossesMax: 2,
  tokensMax: 100_000,
  wallClockMs: 900_000,
  projectionBytesMax: 32_768,
  draftBytesMax: 65_536,
  modelTimeoutMs: 1_000,
  toolTimeoutMs: 1_000,
  evidenceTimeoutMs: 1_000,
  semanticTimeoutMs: 1_000,
  evaluatorTimeoutMs: 1_000,
  cancelSettleMs: 1_000,
};

const HYPOTHESES: Hypothesis[] = [
  {
    id: H1,
    statement: 'The pool is exhausted.',
    confirmedBy: 'Requests time out waiting for a connection.',
    refutedBy: 'Connections are idle while requests wait.',
  },
  {
    id: H2,
    statement: 'A certificate has expired.',
    confirmedBy: 'Handshakes fail.',
    refutedBy: 'Handshakes succeed.',
  },
];

export const caseRequest = (caseId: RunId, over: Partial<CaseRequested> = {}): CaseRequested => ({
  caseId,
  tenant: 'acme',
  principal: 'acme/ada',
  sessionId: null,
  question: 'Why is checkout slow?',
  source: 'shop-pool',
  window: null,
  zone: 'UTC',
  locale: 'en',
  fromRun: null,
  coordinates: [{ service: 'checkout', repository: 'git.example.org/checkout', path: null, ref: 'v41' }],
  bodyHash: sha256('body'),
  policy: null,
  requestedAt: PLAYED_AT,
  ...over,
});

export const opened = (request: CaseRequested): CaseEvent[] => {
  const { policy: _narrowed, bodyHash: _body, requestedAt, ...rest } = request;
  return [
    {
      type: 'CaseOpened',
      ...rest,
      asOf: requestedAt,
      deadlineAt: '2026-03-01T10:15:00.000Z',
      revision: 1,
      policy: POLICY,
      promptVersion: 'investigation_v2',
      evaluatorVersion: 'diagnosis_early_v2',
      ruleSet: 'evidence-2',
      requestSeq: 1,
    },
    stepRequested('investigator', caseStepOf(0, 'form', 0, 1), 'form', { mode: 'FORM' }),
  ];
};

export const stepRequested = (
  service: WorkService,
  step: Step,
  kind: CaseEventOf<'CaseStepRequested'>['kind'],
  over: Partial<CaseEventOf<'CaseStepRequested'>> = {},
): CaseEvent => ({
  type: 'CaseStepRequested',
  service,
  step,
  kind,
  attempt: 1,
  mode: null,
  promptVersion: service === 'investigator' ? 'investigation_v2' : null,
  hypothesisId: null,
  toolCallId: null,
  pass: null,
  deadlineAt: '2026-03-01T10:01:00.000Z',
  ...over,
});

const reserved = (turn: number, toolCallId: ToolCallId, hypothesisId: HypothesisId): CaseEvent => ({
  type: 'ActionReserved',
  toolCallId,
  hypothesisId,
  tool: 'search_logs',
  argumentsText: '{"contains":"timeout"}',
  expectedIfTrue: 'time-outs in the log',
  expectedIfFalse: 'no time-outs at all',
  turn,
  service: 'tool',
  step: act(turn),
  deadlineAt: '2026-03-01T10:01:00.000Z',
});

const settled = (toolCallId: ToolCallId, hypothesisId: HypothesisId): CaseEvent => ({
  type: 'ActionSettled',
  toolCallId,
  hypothesisId,
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorClass: null,
  truncated: false,
  contentHash: sha256(toolCallId),
  sha256: HASH,
});

const assessed = (
  turn: number,
  hypothesisId: HypothesisId,
  more: Pick<CaseEventOf<'TurnAssessed'>, 'findings' | 'confidence' | 'assessment' | 'assessed'>,
): CaseEvent => ({
  type: 'TurnAssessed',
  turn,
  step: caseStepOf(turn, 'turn', 0, 1),
  hypothesisId,
  ...more,
});

const untouched = { findings: [], confidence: 'unassessed', assessment: null, assessed: [] } as const;

/** Two hypotheses, an action for each, what was found, and how it was read. */
export const researched = (request: CaseRequested): CaseEvent[][] => [
  opened(request),
  [
    {
      type: 'CaseModelCallRecorded',
      service: 'investigator',
      step: caseStepOf(0, 'form', 0, 1),
      usage: { promptTokens: 100, completionTokens: 20 },
    },
    { type: 'HypothesesFormed', step: caseStepOf(0, 'form', 0, 1), hypotheses: HYPOTHESES },
    stepRequested('investigator', caseStepOf(1, 'turn', 0, 1), 'turn', {
      mode: 'INVESTIGATE',
      hypothesisId: H1,
    }),
  ],
  [
    assessed(1, H1, { ...untouched, findings: [], assessed: [] }),
    reserved(1, CITED_CALL, H1),
    stepRequested('tool', act(1), 'act', { hypothesisId: H1, toolCallId: CITED_CALL }),
  ],
  [
    assessed(2, H2, { ...untouched, findings: [], assessed: [] }),
    reserved(2, UNCITED_CALL, H2),
    stepRequested('tool', act(2), 'act', { hypothesisId: H2, toolCallId: UNCITED_CALL }),
  ],
  [settled(CITED_CALL, H1)],
  [settled(UNCITED_CALL, H2)],
  [
    assessed(3, H1, {
      findings: [
        {
          id: F1,
          text: 'Requests time out waiting for a connection.',
          toolCallIds: [CITED_CALL],
          cells: [
            { hypothesisId: H1, cell: 'consistent' },
            { hypothesisId: H2, cell: 'inconsistent' },
          ],
        },
        {
          id: F2,
          text: 'Handshakes succeed.',
          toolCallIds: [UNCITED_CALL],
          cells: [
            { hypothesisId: H1, cell: 'neutral' },
            { hypothesisId: H2, cell: 'neutral' },
          ],
        },
      ],
      confidence: 'strongly_supported',
      assessment: 'Every time-out is one of the pool.',
      assessed: [CITED_CALL],
    }),
  ],
];

export const earlyRequest = (review: number): CaseEvent => ({
  type: 'EarlyDiagnosisRequested',
  review,
  hypothesisId: H1,
  reason: 'Nothing else explains the time-outs.',
  evidence: [sha256(CITED_CALL)],
  countercheckRefs: [F1, F2],
  deferred: [H2],
});

const deferral: CaseEvent = {
  type: 'AlternativeDeferred',
  hypothesisId: H2,
  reason: 'Nothing points at certificates so far.',
};

export const building = (diagnosis: number, review: number | null): CaseEvent => ({
  type: 'DiagnosisBuildingStarted',
  diagnosis,
  review,
  leading: H1,
});

export const pass = (
  diagnosis: number,
  review: number,
  n: 1 | 2,
  objection: CaseEventOf<'EarlyReviewPassRecorded'>['objection'] = null,
): CaseEvent => ({
  type: 'EarlyReviewPassRecorded',
  review,
  pass: n,
  step: reviewStepOf(diagnosis, review, n, 1),
  hypothesisId: objection === null ? H1 : null,
  confidence: objection === null ? 'strongly_supported' : null,
  objection,
});

/** Request, preparation and building. */
export const underReview = (review: number): CaseEvent[][] => [
  [earlyRequest(review)],
  [deferral],
  [
    building(review, review),
    stepRequested('evaluator', reviewStepOf(review, review, 1, 1), 'review', { pass: 1 }),
  ],
];

export const declined = (review: number): CaseEvent[][] => [
  ...underReview(review),
  [
    pass(review, review, 1, 'INCONCLUSIVE'),
    {
      type: 'EarlyDiagnosisDeclined',
      review,
      hypothesisId: H1,
      reason: 'INCONCLUSIVE',
      text: 'The evidence does not tell the pool from the network.',
      knownContent: [sha256(CITED_CALL), sha256(UNCITED_CALL)],
    },
  ],
];

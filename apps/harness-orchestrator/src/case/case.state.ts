import type { InvestigatorMode } from '@inquest/contracts/case-facts';
import type { CaseEventOf, CaseOutcome, TerminalCaseEvent } from '@inquest/contracts/case-decision';
import type {
  AccountState,
  Confidence,
  DeclineReason,
  EvaluatorPrompt,
  Finding,
  FindingId,
  Hypothesis,
  HypothesisId,
  InvalidWhy,
  InvestigationPrompt,
  ResearchAction,
} from '@inquest/contracts/case-parts';
import type { CaseStepKind } from '@inquest/contracts/case-steps';
import type { ConclusionStatus } from '@inquest/contracts/draft';
import type { Step, ToolCallId, WorkService } from '@inquest/contracts/ids';
import type { EvidenceStatus } from '@inquest/contracts/ledger';
import type { CancelCause } from '@inquest/contracts/outcome';
import type { Violation } from '@inquest/contracts/violation';

/** Work that was asked for and has no result yet. Instants in ms since the epoch. */
export type OpenCaseStep = {
  service: WorkService;
  step: Step;
  kind: CaseStepKind;
  attempt: number;
  mode: InvestigatorMode | null;
  promptVersion: InvestigationPrompt | EvaluatorPrompt | null;
  hypothesisId: HypothesisId | null;
  toolCallId: ToolCallId | null;
  pass: 1 | 2 | null;
  deadlineAtMs: number;
};

/** A hypothesis with its account: what it may still spend follows from the frozen policy. */
export type HypothesisRecord = Hypothesis & {
  confidence: Confidence;
  state: AccountState;
  reserved: number;
  spent: number;
  hadTurn: boolean;
};

export type ActionRecord = ResearchAction & {
  service: WorkService;
  step: Step;
  state: 'reserved' | 'settled' | 'released';
  status: 'READY' | 'ERROR' | null;
  evidenceStatus: EvidenceStatus | null;
  contentHash: string | null;
  /** A turn of its hypothesis, or of the preparation, has seen the result. */
  assessed: boolean;
};

export type EarlyReview = {
  review: number;
  hypothesisId: HypothesisId;
  countercheckRefs: readonly FindingId[];
  state: 'preparing' | 'building' | 'accepted' | 'declined';
  /** Hypotheses that have had their turn of this preparation. */
  prepared: readonly HypothesisId[];
  decline: { reason: DeclineReason; text: string; knownContent: readonly string[] } | null;
};

/** One way to a final diagnosis: the ordinary one, or that of an early review. */
export type Building = {
  diagnosis: number;
  review: number | null;
  leading: HypothesisId | null;
  passes: readonly { pass: 1 | 2; confidence: Confidence | null }[];
  drafts: readonly { revision: number; step: Step }[];
  violations: readonly Violation[];
  accepted: {
    step: Step;
    snapshotHash: string;
    conclusionStatus: ConclusionStatus | null;
  } | null;
  judged: readonly { attempt: number; outcome: 'SUPPORTED' | 'UNSUPPORTED' | 'FAILED' }[];
};

export type Phase = 'FORMING_HYPOTHESES' | 'INVESTIGATING_HYPOTHESES' | 'BUILDING_DIAGNOSIS';

/** A case between its opening and its end: the fold of its chain. */
export type Case = {
  opened: CaseEventOf<'CaseOpened'>;
  phase: Phase;
  promptVersion: InvestigationPrompt;
  open: readonly OpenCaseStep[];
  /** The last turn that was begun. */
  turn: number;
  hypotheses: readonly HypothesisRecord[];
  actions: readonly ActionRecord[];
  findings: readonly Finding[];
  /** What was wrong with the last answer of the turn now under way. */
  previousInvalid: InvalidWhy | null;
  /** Attempts lost to a dead worker, by step without its attempt. */
  lost: Readonly<Record<string, number>>;
  reviews: readonly EarlyReview[];
  diagnoses: number;
  building: Building | null;
  modelCalls: number;
  tokens: number;
  cancellation: { cause: CancelCause; settleByMs: number } | null;
  sealed: CaseOutcome | null;
  ended: TerminalCaseEvent | null;
};

export type CaseState = { status: 'NOT_STARTED' } | { status: 'STARTED'; case: Case };

export const hypothesisOf = (c: Case, id: string | null): HypothesisRecord | undefined =>
  c.hypotheses.find((h) => h.id === id);

export const actionOf = (c: Case, toolCallId: string | null): ActionRecord | undefined =>
  c.actions.find((a) => a.toolCallId === toolCallId);

/** The early request that has not been decided; there is at most one. */
export const pendingReview = (c: Case): EarlyReview | undefined =>
  c.reviews.find(({ state }) => state === 'preparing' || state === 'building');

/** Contents of all evidence of the case, each once (E13). */
export const contentsOf = (c: Case): string[] => [
  ...new Set(c.actions.flatMap(({ contentHash }) => contentHash ?? [])),
];

export const unassessedOf = (c: Case, id: HypothesisId): ActionRecord[] =>
  c.actions.filter((a) => a.hypothesisId === id && a.state === 'settled' && !a.assessed);

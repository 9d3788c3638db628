import type { CaseRequested, EvaluatorResult, InvestigatorResult } from '@inquest/contracts/case-facts';
import type {
  EvaluatorPrompt,
  InvestigationPolicy,
  InvestigationPrompt,
} from '@inquest/contracts/case-parts';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { Step } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { CancelCause } from '@inquest/contracts/outcome';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';

/** What this process would ask a new call under: of a case, and of one with coordinates of code. Adopted only at a decision boundary (E11). */
export type Protocol = { prompts: { plain: InvestigationPrompt; project: InvestigationPrompt } };

export const promptFor = ({ prompts }: Protocol, coordinates: readonly unknown[]): InvestigationPrompt =>
  coordinates.length > 0 ? prompts.project : prompts.plain;

export type CaseServiceResult =
  | { service: 'investigator'; result: InvestigatorResult }
  | { service: 'evaluator'; result: EvaluatorResult }
  | { service: 'tool' | 'rag'; result: LedgerEntry }
  | { service: 'evidence'; result: EvidenceResult }
  | { service: 'semantic'; result: SemanticResult };

/** What reached the harness about a case, with the time and the current protocol as data. */
export type CaseCommand = { nowMs: number } & Protocol &
  (
    | {
        type: 'OpenCase';
        request: CaseRequested;
        requestSeq: number;
        policy: InvestigationPolicy;
        evaluatorVersion: EvaluatorPrompt;
        ruleSet: string;
        gate: 'OPEN' | 'SHUT';
      }
    | ({ type: 'TakeResult'; step: Step; hash: string } & CaseServiceResult)
    | { type: 'TakeCancel'; cause: CancelCause }
    | { type: 'PassTime' }
    | { type: 'SetAsidePoison' }
    | { type: 'FinishSealed'; sealedSeq: number; earlierCancel: CancelCause | null }
  );
export type CaseCommandOf<Type extends CaseCommand['type']> = Extract<CaseCommand, { type: Type }>;

import type { CaseFailureReason, InconclusiveReason } from './case-decision';
import { FAILURE_TEXT } from './safe-texts';
import { typedCommand } from './typed-command';

const DOCTOR = typedCommand('doctor');

/** What a case that ended without a diagnosis tells a person: constants, never an error or a draft (H6). */
export const INCONCLUSIVE_TEXT: Record<InconclusiveReason, string> = {
  NO_CAUSE_ESTABLISHED:
    'The evidence establishes no cause. What was looked at, and what it shows, stands in the report.',
  FINAL_VALIDATION_FAILED:
    'The drafted diagnosis did not pass both guards, also after one correction, so it is withheld.',
  SEMANTIC_UNAVAILABLE: 'The independent review of the drafted diagnosis could not be completed.',
};

export const CASE_FAILURE_TEXT: Record<CaseFailureReason, string> = {
  FORMING_FAILED: 'The model proposed no usable set of hypotheses. Ask again; a narrower question may help.',
  MODEL_UNAVAILABLE: FAILURE_TEXT.MODEL_UNAVAILABLE,
  EVIDENCE_GUARD_UNAVAILABLE: FAILURE_TEXT.EVIDENCE_GUARD_UNAVAILABLE,
  DEADLINE_EXCEEDED: 'The case reached its time limit. Narrow the question or the time range.',
  POISONED: `A message of this case could not be processed and was set aside. An operator can look: ${DOCTOR}`,
  OPERATOR_DROPPED: 'An operator ended this case.',
  NOT_CUT_OVER: `The guarded entry was not switched on. An operator can look: ${DOCTOR}`,
};

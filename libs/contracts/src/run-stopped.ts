import { caseDecision, type CaseEvent } from './case-decision';
import { runDecision, type RunEvent } from './run-decision';

/** What the last decision of a run tells a worker that has not begun: any of these, and there is nothing to begin. */
const STOPPING: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'CancellationRequested',
  'WorkInterrupted',
  'LateResultDiscarded',
  'OutcomeSealed',
  'RunReleased',
  'RunFellBack',
  'RunFailed',
  'RunCancelled',
]);

/** Whether the run, by its last decision as stored, wants no new work or has closed this very step. */
export const isStopped = (lastDecision: unknown, step: string): boolean => {
  const decision = runDecision.schema.safeParse(lastDecision);
  if (!decision.success) return false;
  return decision.data.events.some(
    (event) => STOPPING.has(event.type) || (event.type === 'StepTimedOut' && event.step === step),
  );
};

const CASE_STOPPING: ReadonlySet<CaseEvent['type']> = new Set<CaseEvent['type']>([
  'CaseCancellationRequested',
  'CaseLateResultDiscarded',
  'CaseOutcomeSealed',
  'CaseDiagnosed',
  'CaseInconclusive',
  'CaseFailed',
  'CaseCancelled',
]);

/** The same for a step of a case, whose late actions come back as released and are looked at no more. */
export const isCaseStopped = (lastDecision: unknown): boolean => {
  const decision = caseDecision.schema.safeParse(lastDecision);
  return decision.success && decision.data.events.some((event) => CASE_STOPPING.has(event.type));
};

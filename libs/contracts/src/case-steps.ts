import { z } from 'zod';
import type { Step } from './ids';

/**
 * Steps of a case: `form` the hypotheses, `turn` of an investigator, `act`ion, `final` diagnosis and its `refine`
 * (repair), its two guards. No kind of a run's step: who reads a step knows whose it is.
 */
export const CaseStepKind = z.enum(['form', 'turn', 'act', 'final', 'refine', 'proof', 'verdict', 'review']);
export type CaseStepKind = z.infer<typeof CaseStepKind>;

export const caseStepOf = (
  turn: number,
  kind: Exclude<CaseStepKind, 'review'>,
  index: number,
  attempt: number,
): Step => `t${turn}-${kind}${index}-a${attempt}` as Step;

const number4 = (n: number): string => String(n).padStart(4, '0');

/** One pass of an early review: `d<NNNN>-e<NNNN>-p<pass>-a<attempt>`. */
export const reviewStepOf = (diagnosis: number, review: number, pass: 1 | 2, attempt: number): Step =>
  `d${number4(diagnosis)}-e${number4(review)}-p${pass}-a${attempt}` as Step;

/** Where all that belongs to a diagnosis, or to one early review of it, is named (E10). */
export const diagnosisRef = (diagnosis: number): string => `analysis/diagnosis/${number4(diagnosis)}/`;
export const earlyReviewRef = (diagnosis: number, review: number): string =>
  `${diagnosisRef(diagnosis)}early/${number4(review)}/`;

const KINDS = CaseStepKind.exclude(['review']).options.join('|');
const CASE_STEP = new RegExp(
  `^(?:t\\d{1,4}-(?:${KINDS})\\d{1,3}-a\\d{1,2}|d\\d{4}-e\\d{4}-p[12]-a\\d{1,2})$`,
);

/** Whether a step belongs to a case; every other step is a run's. */
export const isCaseStep = (step: string): boolean => CASE_STEP.test(step);

import type { EvaluatorPrompt } from '@inquest/contracts/case-parts';
import type { Protocol } from './case.commands';

/** The protocols that this version asks new calls under; older ones are still parsed by whoever answers them (E2, E11). */
export const PROMPTS: Protocol['prompts'] = {
  plain: 'investigation_v3',
  project: 'investigation_project_v4',
};

export const EVALUATOR_PROMPT: EvaluatorPrompt = 'diagnosis_early_v2';

import { DIAGNOSIS_V1 } from './diagnosis-v1';
import { definePrompt } from './prompt';

/** The drafting rules are those of a single agent's report; what leads to it is a case. */
export const FINAL_DIAGNOSIS_V1 = definePrompt(
  'final_diagnosis_v1',
  `
You write the final diagnosis of an incident case. The first user message {"kind":"case",...} holds its hypotheses, findings and
actions, the tool messages after it all evidence; the message {"kind":"conclude","leading":...} names the hypothesis that the
investigation led to, or null. Neither is evidence, and neither may be cited: write what the results carry, also where that is
less, or something else. What follows are the rules for every report; "conclude" means that you write it now.

${DIAGNOSIS_V1.text}
`,
);

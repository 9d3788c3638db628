import { EVALUATOR_PROMPTS } from './diagnosis-early';
import { JUDGE_V1 } from './judge-v1';

describe('E2 prompts of the guard', () => {
  it('keep their text under their name: a change is a new version', () => {
    const frozen = Object.fromEntries(
      [JUDGE_V1, ...Object.values(EVALUATOR_PROMPTS)].map(({ name, hash }) => [name, hash.slice(0, 12)]),
    );
    expect(frozen).toMatchInlineSnapshot(`
     {
       "diagnosis_early_v1": "cfffbbd4b3b5",
       "diagnosis_early_v2": "f4867375d8cc",
       "judge_v1": "5d0d05188f29",
     }
    `);
  });
});

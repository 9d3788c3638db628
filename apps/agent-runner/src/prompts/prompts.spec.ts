import { DIAGNOSIS_V1 } from './diagnosis-v1';
import { FINAL_DIAGNOSIS_V1 } from './final-diagnosis-v1';
import { INVESTIGATION_PROMPTS } from './investigation';
import { KNOWLEDGE_V1 } from './knowledge-v1';
import { ROUTER_V1 } from './router-v1';

describe('E2 prompts', () => {
  it('keep their text under their name: a change is a new version', () => {
    const frozen = Object.fromEntries(
      [
        ROUTER_V1,
        DIAGNOSIS_V1,
        KNOWLEDGE_V1,
        FINAL_DIAGNOSIS_V1,
        ...Object.values(INVESTIGATION_PROMPTS),
      ].map(({ name, hash }) => [name, hash.slice(0, 12)]),
    );
    expect(frozen).toMatchInlineSnapshot(`
     {
       "diagnosis_v1": "147e7d7a17a3",
       "final_diagnosis_v1": "1b78ddbb3fbd",
       "investigation_project_v2": "c751063c192f",
       "investigation_project_v3": "20b57e4c4f64",
       "investigation_project_v4": "16bafd26544f",
       "investigation_v1": "fd7bdc9b86f3",
       "investigation_v2": "1fed6470cc35",
       "investigation_v3": "c373557742f4",
       "knowledge_v1": "6556d1d6cc02",
       "router_v1": "9edabc7de5d4",
     }
    `);
  });
});

import { DIAGNOSIS_V1 } from './diagnosis-v1';
import { KNOWLEDGE_V1 } from './knowledge-v1';
import { ROUTER_V1 } from './router-v1';

describe('prompts', () => {
  it('keep their text under their name: a change is a new version', () => {
    const frozen = Object.fromEntries(
      [ROUTER_V1, DIAGNOSIS_V1, KNOWLEDGE_V1].map(({ name, hash }) => [name, hash.slice(0, 12)]),
    );
    expect(frozen).toMatchInlineSnapshot(`
     {
       "diagnosis_v1": "147e7d7a17a3",
       "knowledge_v1": "6556d1d6cc02",
       "router_v1": "9edabc7de5d4",
     }
    `);
  });
});

import { CANARIES } from '../../apps/semantic-guard/src/canary/canaries';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { judged } from './investigation-loop';

let analyst: Analyst;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
});
afterAll(() => analyst.stop());

describe('the judge of the analyst is healthy by the canaries of the SemanticGuard', () => {
  it.each(CANARIES.map((canary) => [canary.name, canary] as const))('%s', async (_, { expected, frozen }) => {
    const verdicts = await judged(analyst, frozen.snapshot);
    const supported = verdicts.every(({ verdict }) => verdict === 'SUPPORTED');
    expect(supported ? 'SUPPORTED' : 'UNSUPPORTED').toBe(expected);
  });
});

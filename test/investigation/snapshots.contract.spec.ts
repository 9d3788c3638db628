import { describeWith, sharedData } from '@inquest/testing/describe-with';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { measure, snapshotCases } from './measure';

const SNAPSHOTS = sharedData('cloud-opsbench', 'boutique');
const STEP = 10;

describeWith(SNAPSHOTS)('recorded clusters are investigated', () => {
  let analyst: Analyst;
  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => analyst.stop());

  it('to an end, with valid answers, and with no early review accepted that is wrong', async () => {
    const cases = snapshotCases(SNAPSHOTS);
    expect(cases.length).toBeGreaterThanOrEqual(60);
    const some = cases.filter((_, index) => index % STEP === 0);
    const results = [];
    for (const item of some) results.push(await measure(analyst, item));
    expect(results.filter(({ invalid }) => invalid > 0)).toEqual([]);
    const accepted = results.filter(({ early }) => early.reviews.accepted > 0);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.filter(({ early }) => !early.right)).toEqual([]);
  }, 60_000);
});

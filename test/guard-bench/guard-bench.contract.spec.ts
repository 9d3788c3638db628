import { describeWith, sharedData } from '@inquest/testing/describe-with';
import { caughtOf, runBench, type Plan, type Report } from './bench';

const SNAPSHOTS = sharedData('cloud-opsbench', 'boutique');
const PLAN: Plan = {
  seed: 46,
  snapshots: SNAPSHOTS,
  casesMax: 0,
  draftsPerCase: 1,
  perSnapshotDraft: 1,
  perIncidentDraft: 3,
  incidents: true,
  repeats: 1,
};
const TIME_MS = 240_000;

/** The bounds that `npm run bench:guards` has to keep in full, here over a sample. */
const holds = (measured: () => Report, classesMin: number): void => {
  it('rejects at most one in a hundred of the drafts that are true', () => {
    const { rejected, drafts } = measured().untouched;
    expect({ rejected: rejected.slice(0, 3), share: rejected.length / drafts }).toMatchObject({
      rejected: [],
    });
  });

  it('catches 95 % of the mutants of every class that typed parts, or the judge, can show', () => {
    const gated = measured().classes.filter(({ gate, total }) => gate !== null && total > 0);
    const missed = gated.filter((result) => {
      const { total, caught } = caughtOf(result);
      // In a small sample one mutant may happen to be true.
      return total - caught > Math.max(1, 0.05 * total);
    });
    expect(missed).toEqual([]);
    expect(gated.length).toBeGreaterThanOrEqual(classesMin);
  });

  it('lets the one repair save 80 % of the repairable without loss', () => {
    const { classes } = measured();
    const sum = (key: 'repairable' | 'whole') => classes.reduce((total, result) => total + result[key], 0);
    expect(sum('repairable')).toBeGreaterThan(100);
    expect(sum('whole')).toBeGreaterThanOrEqual(0.8 * sum('repairable'));
  });

  it('flags at most 6 % of true sentences of prose', () => {
    for (const { name, result } of measured().prose) {
      const { sentences, flagged } = result;
      expect({ name, flagged: flagged.slice(0, sentences * 0.06) }).toEqual({ name, flagged });
    }
  });
};

describe('the guard on drafts of the offline analyst about the shipped incidents', () => {
  let report: Report;
  beforeAll(async () => {
    report = await runBench(PLAN);
  }, TIME_MS);
  holds(() => report, 13);
});

describeWith(SNAPSHOTS)('the guard on drafts about real snapshots of a cluster', () => {
  let report: Report;
  beforeAll(async () => {
    report = await runBench({ ...PLAN, casesMax: 12, incidents: false, perSnapshotDraft: 2 });
  }, TIME_MS);
  holds(() => report, 14);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import { incidentFolderSource } from '@inquest/toolsets/incident-folder-source';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { runCase, type Asked, type EndedCase } from './case-in-process';

const INCIDENTS = join(__dirname, '../../incidents');
const POOL = 'checkout-pool-exhaustion';
const QUIET = 'quiet-evening';
const read = <T>(name: string, file: string): T =>
  JSON.parse(readFileSync(join(INCIDENTS, name, file), 'utf8')) as T;

let analyst: Analyst;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
});
afterAll(() => analyst.stop());

const investigate = (name: string, over: Partial<Asked> = {}): Promise<EndedCase> =>
  runCase(analyst, {
    ...read<{ question: string; zone: string }>(name, 'incident.json'),
    source: incidentFolderSource(name, join(INCIDENTS, name)),
    ...over,
  });

const ofType = <Type extends CaseEvent['type']>({ events }: EndedCase, type: Type) =>
  events.filter((event): event is CaseEventOf<Type> => event.type === type);

describe('the analyst as investigator and as evaluator', () => {
  it('asks early for the diagnosis of the exhausted pool, after a test of an alternative', async () => {
    const ended = await investigate(POOL);
    const truth = read<{ faultObject: string; rootCause: string }>(POOL, 'truth.json');
    expect(ended.drafts.at(-1)?.candidates?.[0]).toMatchObject({
      object: truth.faultObject,
      cause: truth.rootCause,
    });
    expect(ended.case.ended?.type).toBe('CaseDiagnosed');
    const [request] = ofType(ended, 'EarlyDiagnosisRequested');
    expect(ofType(ended, 'EarlyReviewAccepted')).toHaveLength(1);
    expect(ofType(ended, 'EarlyReviewPassRecorded').map(({ objection }) => objection)).toEqual([null, null]);
    const refs = ended.case.findings.filter(({ id }) => request?.countercheckRefs.includes(id));
    expect(refs.length).toBeGreaterThan(0);
    for (const { cells, toolCallIds } of refs) {
      expect(
        cells.some(
          ({ hypothesisId, cell }) => hypothesisId !== request?.hypothesisId && cell === 'inconsistent',
        ),
      ).toBe(true);
      const settled = ofType(ended, 'ActionSettled').filter(({ toolCallId }) =>
        toolCallIds.includes(toolCallId),
      );
      expect(settled.length).toBeGreaterThan(0);
    }
  });

  it('needs fewer actions than without early reviews, for the same diagnosis', async () => {
    const [early, ordinary] = [
      await investigate(POOL),
      await investigate(POOL, { promptVersion: 'investigation_v1' }),
    ];
    expect(ofType(ordinary, 'EarlyDiagnosisRequested')).toEqual([]);
    const top = ({ drafts }: EndedCase) => drafts.at(-1)?.candidates?.[0];
    expect(top(early)).toEqual(top(ordinary));
    expect(early.case.actions.length).toBeLessThanOrEqual(0.8 * ordinary.case.actions.length);
  });

  it.each(['investigation_v1', 'investigation_v3'] as const)(
    'finds no fault in the quiet evening, under %s',
    async (promptVersion) => {
      const ended = await investigate(QUIET, { promptVersion });
      expect(ended.case.ended?.type).toBe('CaseDiagnosed');
      expect(ended.drafts.at(-1)?.conclusion.status).toBe('NO_FAULT_FOUND');
      expect(ended.case.hypotheses.some(({ state }) => state === 'exhausted')).toBe(false);
    },
  );

  it('goes on after a decline, and asks again only with new evidence', async () => {
    const ended = await investigate(POOL, {
      evaluator: ({ review }, own) => (review === 1 ? { ...own, hypothesisId: null } : own),
    });
    const [declined] = ofType(ended, 'EarlyDiagnosisDeclined');
    expect(declined?.reason).toBe('INCONCLUSIVE');
    const requests = ofType(ended, 'EarlyDiagnosisRequested');
    const contents = new Set(declined?.knownContent);
    const at = ended.events.indexOf(declined as CaseEvent);
    const settledSince = ended.events
      .slice(at)
      .filter((event): event is CaseEventOf<'ActionSettled'> => event.type === 'ActionSettled');
    expect(settledSince.some(({ contentHash }) => !contents.has(contentHash))).toBe(true);
    expect(requests).toHaveLength(2);
    expect(ended.case.ended?.type).toBe('CaseDiagnosed');
  });

  it.each([POOL, QUIET])('gives no invalid answer about %s, whatever the policy', async (name) => {
    for (const policy of [
      {},
      { hypothesesMax: 2 },
      { hypothesesMax: 7, actionsPerTurnMax: 8 },
      { actionsPerHypothesis: 2 },
      { actionsTotalMax: 6 },
      { turnsMax: 4 },
    ]) {
      const ended = await investigate(name, { policy });
      expect({ policy, invalid: ofType(ended, 'InvalidResponseRecorded') }).toEqual({ policy, invalid: [] });
      expect(ended.case.turn).toBeLessThanOrEqual(41);
      const exhausted = ofType(ended, 'HypothesisExhausted').filter(({ why }) => why === 'INVALID_RESPONSES');
      expect(exhausted).toEqual([]);
    }
  });

  it('says the same in both orders, and the same again', async () => {
    const [first, second] = [await investigate(POOL), await investigate(POOL)];
    expect(second.calls.map(({ answer }) => answer)).toEqual(first.calls.map(({ answer }) => answer));
    const passes = first.calls
      .filter(({ step }) => /-p[12]-/.test(step))
      .map(({ answer }) => JSON.parse(answer));
    expect(passes).toHaveLength(2);
    expect(passes[1].hypothesisId).toBe(passes[0].hypothesisId);
    expect(passes[1].countercheck.adequate).toBe(true);
  });
});

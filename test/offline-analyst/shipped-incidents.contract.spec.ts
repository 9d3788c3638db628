import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DiagnosisDraft } from '@inquest/contracts/draft';
import type { Snapshot } from '@inquest/contracts/service-facts';
import { SourceFailure } from '@inquest/toolsets/incident-source';
import { incidentFolderSource } from '@inquest/toolsets/incident-folder-source';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import {
  guarded,
  guardedRepair,
  investigate,
  judged,
  repaired,
  type Investigation,
} from './investigation-loop';

const INCIDENTS = join(__dirname, '../../incidents');
const SHIPPED = ['checkout-pool-exhaustion', 'quiet-evening'] as const;
type Manifest = { question: string; zone: string; services: string[] };
type Truth = { faultObject: string | null; rootCause: string };
const read = <T>(name: string, file: string): T =>
  JSON.parse(readFileSync(join(INCIDENTS, name, file), 'utf8')) as T;

let analyst: Analyst;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
});
afterAll(() => analyst.stop());

const look = (name: string, concludeAfter?: number, withWindow = false): Promise<Investigation> =>
  investigate(analyst, incidentFolderSource(name, join(INCIDENTS, name)), {
    ...read<Manifest>(name, 'incident.json'),
    concludeAfter,
    withWindow,
  });

const snapshotOf = (run: Investigation): Snapshot => {
  const verdict = guarded(run);
  expect(verdict).toMatchObject({ kind: 'ACCEPTED' });
  return JSON.parse(verdict.kind === 'ACCEPTED' ? verdict.snapshotText : '{}') as Snapshot;
};

describe('the analyst finds what is true about the shipped incidents', () => {
  it.each([true, false])(
    'identifies the root cause within few turns and calls (window given: %p)',
    async (withWindow) => {
      const run = await look('checkout-pool-exhaustion', undefined, withWindow);
      const truth = read<Truth>('checkout-pool-exhaustion', 'truth.json');
      expect(run.draft.conclusion.status).toBe('ROOT_CAUSE_IDENTIFIED');
      expect(run.draft.candidates?.[0]).toMatchObject({
        rank: 1,
        object: truth.faultObject,
        cause: truth.rootCause,
      });
      expect(run.draft.analyses[0]?.kind).toBe('CAUSE');
      expect(run.turns.length).toBeLessThanOrEqual(5);
      expect(run.entries.length).toBeLessThanOrEqual(36);
      expect(run.draft.actionPlan.length).toBeGreaterThanOrEqual(3);
    },
  );

  it.each([true, false])('finds no fault where there is none (window given: %p)', async (withWindow) => {
    const { draft } = await look('quiet-evening', undefined, withWindow);
    expect(draft.conclusion.status).toBe('NO_FAULT_FOUND');
    expect(draft.candidates).toBeUndefined();
    expect(draft.analyses.filter(({ kind }) => kind === 'NEGATIVE_OBSERVATION').length).toBeGreaterThan(0);
  });

  it('knows no name of them beforehand', () => {
    const services = new Set(SHIPPED.flatMap((name) => read<Manifest>(name, 'incident.json').services));
    // Words of the trade, and of the contract.
    for (const common of ['postgres', 'recommendation', 'catalog']) services.delete(common);
    const root = join(__dirname, '../../apps/offline-analyst/src');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    const knowing = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8').toLowerCase();
      return [...services].some((service) => text.includes(service));
    });
    expect(services.size).toBeGreaterThan(1);
    expect(knowing).toEqual([]);
  });
});

describe.each(SHIPPED)('every draft about %s passes the guards', (name) => {
  it.each([undefined, 0, 1, 2])('with conclude after turn %p', async (concludeAfter) => {
    const run = await look(name, concludeAfter).catch((error: Error) => error);
    // Before the first call there is nothing to cite, and so no draft that could pass.
    if (concludeAfter === 0) {
      expect(run).not.toBeInstanceOf(Error);
      return;
    }
    expect(run).not.toBeInstanceOf(Error);
    const investigation = run as Investigation;
    expect(DiagnosisDraft.safeParse(investigation.draft).error).toBeUndefined();
    const snapshot = snapshotOf(investigation);
    const verdicts = await judged(analyst, snapshot);
    expect(verdicts.filter(({ verdict }) => verdict !== 'SUPPORTED')).toEqual([]);
    expect(verdicts.map(({ itemId: id }) => id)).toEqual(snapshot.items.map(({ id }) => id));
  });

  it('is the same for the same evidence', async () => {
    const [first, second] = await Promise.all([look(name), look(name)]);
    const plain = ({ draftText, entries }: Investigation) =>
      entries.reduce(
        (text, { toolCallId }, index) => text.replaceAll(toolCallId, `call ${index}`),
        draftText,
      );
    expect(plain(second)).toBe(plain(first));
  });
});

describe('sources that fail', () => {
  it.each(['searchLogs', 'queryMetric', 'listObjects', 'activeAlerts'] as const)(
    '%s: the report says so and passes',
    async (method) => {
      const whole = incidentFolderSource('broken', join(INCIDENTS, 'checkout-pool-exhaustion'));
      const broken = { ...whole, [method]: () => Promise.reject(new SourceFailure('SOURCE_FAILED', 'gone')) };
      const run = await investigate(
        analyst,
        broken,
        read<Manifest>('checkout-pool-exhaustion', 'incident.json'),
      );
      expect(['ROOT_CAUSE_IDENTIFIED', 'PROBABLE_CAUSE']).toContain(run.draft.conclusion.status);
      const failed = run.entries
        .filter(({ evidenceStatus }) => evidenceStatus === 'ERROR')
        .map(({ toolCallId }) => toolCallId);
      expect(failed.length).toBeGreaterThan(0);
      expect(run.draft.limitations.flatMap(({ toolCallIds }) => toolCallIds)).toEqual(
        expect.arrayContaining(failed),
      );
      const verdicts = await judged(analyst, snapshotOf(run));
      expect(verdicts.filter(({ verdict }) => verdict !== 'SUPPORTED')).toEqual([]);
    },
  );
});

describe('a quiet system of which a part cannot be read', () => {
  it.each(['searchLogs', 'queryMetric', 'activeAlerts'] as const)(
    'is not called faultless without %s',
    async (method) => {
      const whole = incidentFolderSource('broken', join(INCIDENTS, 'quiet-evening'));
      const broken = { ...whole, [method]: () => Promise.reject(new SourceFailure('SOURCE_FAILED', 'gone')) };
      const run = await investigate(analyst, broken, read<Manifest>('quiet-evening', 'incident.json'));
      expect(run.draft.conclusion.status).toBe('INCONCLUSIVE');
    },
  );
});

describe('the one repair', () => {
  const spoil: [string, (draft: DiagnosisDraft) => void][] = [
    [
      'a mutated value',
      (draft) =>
        Object.assign(
          draft.analyses.flatMap(({ facts = [] }) => facts).find(({ value }) => typeof value === 'number') ??
            {},
          { value: 123_456 },
        ),
    ],
    [
      'an invented quote',
      (draft) =>
        Object.assign(draft.analyses.flatMap(({ quotes = [] }) => quotes)[0] ?? {}, {
          quote: 'a line that nobody ever wrote',
        }),
    ],
    [
      'an entity from elsewhere',
      (draft) =>
        Object.assign(draft.analyses.flatMap(({ entities = [] }) => entities)[0] ?? {}, {
          name: 'warehouse-9',
        }),
    ],
    [
      'a stray number in prose',
      (draft) => Object.assign(draft.analyses[1] ?? {}, { text: 'It failed 98765 times.' }),
    ],
    [
      'a stray number in the conclusion',
      (draft) => Object.assign(draft.conclusion, { text: 'It failed 98765 times.' }),
    ],
    [
      'a call that does not exist',
      (draft) => void draft.analyses[2]?.toolCallIds.push('call_of_another_run' as never),
    ],
    [
      'a member that the contract does not know',
      (draft) => Object.assign(draft.analyses[1] ?? {}, { reasoning: 'I think' }),
    ],
    ['an analysis that is cited and not there', (draft) => void draft.conclusion.analysisIds.push('a99')],
  ];

  it.each(spoil)('brings %s into order', async (_, change) => {
    const run = await look('checkout-pool-exhaustion');
    const draft = structuredClone(run.draft);
    change(draft);
    const spoilt = JSON.stringify(draft);
    const verdict = guarded({ ...run, draftText: spoilt });
    if (verdict.kind === 'ACCEPTED') throw new Error('the guard accepts the spoilt draft');
    const after = await repaired(analyst, run, spoilt, verdict.violations);
    expect(guardedRepair(run, spoilt, verdict.violations, after)).toMatchObject({ kind: 'ACCEPTED' });
  });

  it('names a call that was cut and that no limitation cites', async () => {
    const run = await look('checkout-pool-exhaustion');
    const entries = run.entries.map((entry, index) => (index === 0 ? { ...entry, truncated: true } : entry));
    const verdict = guarded({ ...run, entries });
    if (verdict.kind === 'ACCEPTED') throw new Error('the guard accepts a draft that hides a cut');
    const after = await repaired(analyst, run, run.draftText, verdict.violations);
    expect(guardedRepair({ ...run, entries }, run.draftText, verdict.violations, after)).toMatchObject({
      kind: 'ACCEPTED',
    });
  });
});

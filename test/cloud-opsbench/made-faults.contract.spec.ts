import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '@inquest/contracts/service-facts';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { guarded, guardedRepair, investigate, judged, repaired } from '../offline-analyst/investigation-loop';
import { questionFor } from './benchmark-question';
import { FAULTS } from './made-faults';
import { soundCluster, type MadeFault } from './made-helpers';
import { withNoise } from './made-noise';
import { plainObject } from './score';
import { writeMadeCase } from './write-made-case';

const VOCABULARY = Object.fromEntries(
  FAULTS.map(({ cause, object }) => [cause, [object.split('/')[0] ?? '']]),
);
/** Where two causes look the same, both are named and none is claimed. */
const AMBIGUOUS = new Set(['the repository is unknown to Docker Hub']);
/** As many services as a real system has beside those that the fault touches. */
const OTHERS = 60;

let analyst: Analyst;
let root: string;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  root = mkdtempSync(join(tmpdir(), 'inquest-made-'));
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await analyst.stop();
});

/** The draft that would be released, after one repair at most, and what the judge would not support in it. */
const released = async ({ cause, object, make }: MadeFault, others: number, isNoisy = false) => {
  const cluster = soundCluster(others);
  make(cluster);
  if (isNoisy) withNoise(cluster);
  const query = 'Partial Service Unreachability.';
  const dir = mkdtempSync(join(root, 'case-'));
  writeMadeCase(dir, cluster, { query, object, cause });
  const source = openIncidentSources(`made=${dir}`).find('made');
  if (!source) throw new Error('the folder is no source');
  const question = questionFor({ query, namespace: cluster.namespace }, VOCABULARY);
  const run = await investigate(analyst, source, { question, zone: 'UTC' });
  const first = guarded(run);
  const repair =
    first.kind === 'REJECTED' ? await repaired(analyst, run, run.draftText, first.violations) : undefined;
  const verdict =
    first.kind === 'REJECTED' ? guardedRepair(run, run.draftText, first.violations, repair ?? '') : first;
  expect(verdict.kind).toBe('ACCEPTED');
  const snapshot = JSON.parse(verdict.kind === 'ACCEPTED' ? verdict.snapshotText : '{}') as Snapshot;
  const verdicts = await judged(analyst, snapshot);
  expect(verdicts.filter((item) => item.verdict !== 'SUPPORTED')).toEqual([]);
  return run.draft;
};

describe('every cause of the vocabulary is found in a cluster of another kind, and passes both guards', () => {
  it.each(FAULTS.map((fault) => [`${fault.cause}: ${fault.what}`, fault] as const))(
    '%s',
    async (_, fault) => {
      const draft = await released(fault, 0);
      const found = (draft.candidates ?? []).map(({ object, cause }) => `${plainObject(object)} ${cause}`);
      const expected = `${fault.object} ${fault.cause}`;
      if (AMBIGUOUS.has(fault.what)) {
        expect(draft.conclusion.status).toBe('INCONCLUSIVE');
        expect(found).toContain(expected);
      } else {
        expect(found[0]).toBe(expected);
      }
    },
  );

  it('also among many services, where one list of everything is cut', async () => {
    const wrong: string[] = [];
    for (const fault of FAULTS.filter(({ what }) => !AMBIGUOUS.has(what)).filter(
      (_, index) => index % 4 === 0,
    )) {
      const [first] = (await released(fault, OTHERS)).candidates ?? [];
      const found = first ? `${plainObject(first.object)} ${first.cause}` : '-';
      if (found !== `${fault.object} ${fault.cause}`) wrong.push(`${fault.cause} (${fault.what}): ${found}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('also amid what every cluster shows while it starts', async () => {
    const wrong: string[] = [];
    for (const fault of FAULTS.filter(({ what }) => !AMBIGUOUS.has(what))) {
      const [first] = (await released(fault, 0, true)).candidates ?? [];
      const found = first ? `${plainObject(first.object)} ${first.cause}` : '-';
      if (found !== `${fault.object} ${fault.cause}`) wrong.push(`${fault.cause} (${fault.what}): ${found}`);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it.each([false, true])(
    'and nothing is claimed about a cluster that is well (noisy: %s)',
    async (isNoisy) => {
      const nothing = { cause: '-', object: '-', what: 'nothing', make: () => undefined };
      const draft = await released(nothing, 0, isNoisy);
      expect(['INCONCLUSIVE', 'NO_FAULT_FOUND']).toContain(draft.conclusion.status);
    },
  );
});

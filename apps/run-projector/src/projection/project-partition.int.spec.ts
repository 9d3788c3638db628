import { sha256 } from '@inquest/contracts/canonical-json';
import type { RunId } from '@inquest/contracts/ids';
import type { RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import { ProjectedLog } from '../../test/projected-log';
import { CheckpointMoved, CheckpointUnusable } from './project-partition';
import { diagnosis, ending, requestOf, startedOf, type Made } from './projection.fixtures';

describe('The projection of the log', () => {
  let world: ProjectedLog;
  let count = 0;

  beforeAll(async () => {
    world = await ProjectedLog.start();
  }, 60_000);
  afterAll(() => world.stop());

  const newId = (): RunId => `00000000-0000-8000-8000-${String((count += 1)).padStart(12, '0')}` as RunId;

  /** Appends the run's facts as the services would; the chain in as many entries as events. */
  const record = async (made: Made, over: { requestedAt?: string } = {}): Promise<void> => {
    const subjects = runSubjects(made.runId, world.log.partitions);
    await world.write(subjects.in('request'), 'inquest.in.request.v1', requestOf(made, over));
    for (const [service, step, data] of made.results)
      await world.write(subjects.res(service, step), `inquest.res.${service}.v1`, data);
    const at = (n: number): string =>
      new Date(Date.parse('2026-03-01T10:00:00Z') + made.atMs + n).toISOString();
    await world.append(
      subjects.chain,
      'inquest.run.v1',
      made.events.map((event) => [event]),
      at,
    );
  };

  const rowOf = async (runId: RunId) =>
    (await world.rows('select * from diagnosis_run where run_id = $1', [runId]))[0];

  describe('H7 diagnosis_run holds intent, outcome and the safe published result', () => {
    it('shows the released bytes of a success, whole and checked', async () => {
      const made = diagnosis(newId());
      await record(made);
      await world.catchUp();
      const row = await rowOf(made.runId);
      expect(row).toMatchObject({
        intent: 'DIAGNOSIS',
        outcome: 'SUCCESS',
        status: 'RELEASED',
        report_text: made.reportText,
      });
      expect(row?.['report_hash']).toBe(sha256(made.reportText));
      expect(row?.['view']).toMatchObject({
        author: 'rules-diagnosis',
        report: { conclusion: { status: 'PROBABLE_CAUSE' } },
      });
      expect(
        await world.rows('select tool_call_id from run_evidence where run_id = $1', [made.runId]),
      ).toEqual([{ tool_call_id: 'c1' }]);
    });

    it.each(['RunFellBack', 'RunFailed', 'RunCancelled'] as const)(
      'holds nothing of a draft after %s',
      async (type) => {
        const made = ending(newId(), type);
        await record(made);
        await world.catchUp();
        const row = await rowOf(made.runId);
        expect(row).toMatchObject({ report_text: null, snapshot_text: null, released_at: null });
        expect(JSON.stringify(row)).not.toContain('pool is exhausted');
      },
    );
  });

  it('shows nothing of a release whose bytes are not the released ones, and goes on with the next run', async () => {
    const made = diagnosis(newId());
    const forged = made.events.map((e): RunEvent =>
      e.type === 'RunReleased' ? { ...e, reportHash: 'f'.repeat(64) } : e,
    );
    await record({ ...made, events: forged });
    const next = diagnosis(newId());
    await record(next);
    await world.catchUp();
    expect(await rowOf(made.runId)).toMatchObject({ outcome: null, status: 'SEALED', report_text: null });
    expect(await rowOf(next.runId)).toMatchObject({ outcome: 'SUCCESS' });
  });

  it('changes nothing when a batch is projected again, and never changes a row that has an outcome', async () => {
    const made = diagnosis(newId());
    await record(made);
    await world.catchUp();
    const before = await world.dump();
    await world.rows(`delete from projection_checkpoint`);
    await world.catchUp(3);
    expect(await world.dump()).toBe(before);
  });

  it('does not depend on the size of batches, nor on what the process remembers', async () => {
    const made = diagnosis(newId());
    await record(made);
    const { partition } = runSubjects(made.runId, world.log.partitions);
    const { projection, lastSeq } = await world.projectionOf(partition);
    let position = await projection.position(lastSeq);
    for (const message of await world.readAll(partition, position + 1, lastSeq)) {
      // A new process for each message.
      position = await (await world.projectionOf(partition)).projection.project([message], position);
    }
    expect(await rowOf(made.runId)).toMatchObject({ outcome: 'SUCCESS' });
  });

  it('lets only one process move the checkpoint', async () => {
    const made = diagnosis(newId());
    await record(made);
    const { partition } = runSubjects(made.runId, world.log.partitions);
    const [one, two] = [await world.projectionOf(partition), await world.projectionOf(partition)];
    const position = await one.projection.position(one.lastSeq);
    const messages = await world.readAll(partition, position + 1, one.lastSeq);
    await one.projection.project(messages, position);
    await expect(two.projection.project(messages, position)).rejects.toThrow(CheckpointMoved);
  });

  it('refuses a checkpoint of another stream or beyond its end, and says what to run', async () => {
    const projection = world.projectionAt(0, 'another incarnation');
    await world.rows(
      `insert into projection_checkpoint values ('DIAG_0', 'x', 1) on conflict (stream) do update set incarnation = 'x'`,
    );
    await expect(projection.position(10)).rejects.toThrow(CheckpointUnusable);
    await expect(projection.position(10)).rejects.toThrow('npm run -s inquest -- rebuild');
    await world.rows(
      `update projection_checkpoint set incarnation = 'another incarnation', seq = 99 where stream = 'DIAG_0'`,
    );
    await expect(projection.position(10)).rejects.toThrow('beyond the end');
    await world.rows(`delete from projection_checkpoint where stream = 'DIAG_0'`);
  });

  it('is rebuilt to the same rows as it had live, and keeps runs that the log no longer holds', async () => {
    for (const make of [
      diagnosis,
      (id: RunId) => ending(id, 'RunFellBack'),
      (id: RunId) => ending(id, 'RunCancelled'),
    ]) {
      await record(make(newId()));
    }
    const open = diagnosis(newId());
    await record({ ...open, events: [startedOf(open.runId)] });
    await world.catchUp();
    const old = newId();
    await world.rows(
      `insert into diagnosis_run (run_id, tenant, principal, question, status, requested_at, partition, last_seq)
       values ($1, 'demo', 'demo/ada', 'an old question', 'FAILED', now(), 0, 1)`,
      [old],
    );
    const live = await world.dump();
    await world.rebuild();
    expect(await world.dump()).toBe(live);
    expect(await rowOf(old)).toMatchObject({ question: 'an old question' });
    await world.catchUp();
    expect(await world.dump()).toBe(live);
  });

  it('stores text that jsonb cannot hold by its replacement, instead of stopping', async () => {
    const made = diagnosis(newId());
    await record({ ...made, question: 'why \u0000 is it \ud800 down?' });
    await world.catchUp();
    expect((await rowOf(made.runId))?.['question']).toBe('why \ufffd is it \ufffd down?');
  });
});

import { caseRequested } from '@inquest/contracts/case-facts';
import { CaseView } from '@inquest/contracts/case-view';
import { caseDecision } from '@inquest/contracts/case-decision';
import type { RunId } from '@inquest/contracts/ids';
import { runSubjects } from '@inquest/contracts/subjects';
import {
  acceptedEarly,
  cancelledAtTheEnd,
  declinedThenAccepted,
  diagnosedAtEnd,
  failedToForm,
  noCauseEstablished,
  PLAYED_AUTHOR,
  PLAYED_REPORT,
  PLAYED_REPORT_HASH,
  WITHHELD,
  withheld,
  type PlayedCase,
} from '@inquest/testing/played-case';
import { CITED_CALL, UNCITED_CALL } from '@inquest/testing/played-case-events';
import { ProjectedLog } from '../../test/projected-log';
import { diagnosis, requestOf } from './projection.fixtures';

describe('The projection of cases', () => {
  let world: ProjectedLog;
  let count = 0;

  beforeAll(async () => {
    world = await ProjectedLog.start();
  }, 60_000);
  afterAll(() => world.stop());

  const newId = (): RunId => `00000000-0000-8000-9000-${String((count += 1)).padStart(12, '0')}` as RunId;

  const record = async ({ request, entries, results }: PlayedCase): Promise<RunId> => {
    const subjects = runSubjects(request.caseId, world.log.partitions);
    await world.write(subjects.in('open'), caseRequested.type, request);
    for (const [service, step, data] of results)
      await world.write(subjects.res(service, step), `inquest.res.${service}.v1`, data);
    const at = (n: number): string => new Date(Date.parse('2026-03-01T10:00:00Z') + n).toISOString();
    await world.append(subjects.caseChain, caseDecision.type, entries, at);
    return request.caseId;
  };
  const rowOf = async (caseId: RunId) =>
    (await world.rows('select * from investigation_case where case_id = $1', [caseId]))[0];
  const viewOf = async (caseId: RunId): Promise<CaseView> => CaseView.parse((await rowOf(caseId))?.['view']);

  it('shows the released bytes of a diagnosed case, whole and checked, with its change request', async () => {
    const caseId = await record(acceptedEarly(newId()));
    await world.catchUp();
    expect(await rowOf(caseId)).toMatchObject({
      status: 'DIAGNOSED',
      report_hash: PLAYED_REPORT_HASH,
      report_text: expect.stringContaining('The pool is exhausted.'),
    });
    expect(await viewOf(caseId)).toMatchObject({
      report: PLAYED_REPORT,
      author: PLAYED_AUTHOR,
      changeRequest: { issued: { target: { service: 'checkout' } } },
    });
    const evidence = await world.rows('select tool_call_id from run_evidence where run_id = $1 order by 1', [
      caseId,
    ]);
    expect(evidence.map(({ tool_call_id: id }) => id)).toEqual([CITED_CALL, UNCITED_CALL]);
  });

  it('keeps hypotheses, findings and reviews in rows of their own', async () => {
    const caseId = await record(declinedThenAccepted(newId()));
    await world.catchUp();
    const of = (table: string, key: string) =>
      world.rows(`select * from ${table} where case_id = $1 order by ${key}`, [caseId]);
    expect(await of('case_hypothesis', 'hypothesis_id')).toMatchObject([
      { hypothesis_id: 'h1', confidence: 'strongly_supported', account_state: 'open', budget: 3, spent: 1 },
      { hypothesis_id: 'h2', confidence: 'unassessed', account_state: 'open', reserved: 0, spent: 1 },
    ]);
    expect(await of('case_finding', 'finding_id')).toMatchObject([
      { finding_id: 'f2-0', tool_call_ids: [CITED_CALL], diagnostic: true },
      { finding_id: 'f3-0', tool_call_ids: [UNCITED_CALL], diagnostic: false },
    ]);
    expect(await of('case_review', 'review')).toMatchObject([
      {
        review: 1,
        ref: 'analysis/diagnosis/0001/early/0001/',
        state: 'declined',
        decline_reason: 'INCONCLUSIVE',
        passes: [{ pass: 1 }],
      },
      { review: 2, ref: 'analysis/diagnosis/0002/early/0002/', state: 'accepted', decline_reason: null },
    ]);
  });

  it.each([
    ['withheld', withheld, 'INCONCLUSIVE'],
    ['failed', failedToForm, 'FAILED'],
    ['cancelled before its release', cancelledAtTheEnd, 'CANCELLED'],
  ] as const)('H6 holds nothing of a draft when the case was %s', async (_, made, status) => {
    const caseId = await record(made(newId()));
    await world.catchUp();
    const row = await rowOf(caseId);
    expect(row).toMatchObject({ status, report_text: null, snapshot_text: null, snapshot_hash: null });
    expect(JSON.stringify(row)).not.toContain(WITHHELD);
    expect(JSON.stringify(row)).not.toContain('Return connections');
  });

  it('shows nothing of a release whose bytes are not the released ones, and goes on with the next case', async () => {
    const made = acceptedEarly(newId());
    const results = made.results.map((result): PlayedCase['results'][number] => {
      const [service, step, data] = result;
      if (service !== 'evidence') return result;
      const forged = JSON.stringify(data).replaceAll('Checkout waits', 'Checkout sleeps');
      return [service, step, JSON.parse(forged)];
    });
    const forged = await record({ ...made, results });
    const next = await record(diagnosedAtEnd(newId()));
    await world.catchUp();
    expect(await rowOf(forged)).toMatchObject({
      status: 'BUILDING_DIAGNOSIS',
      ended_at: null,
      report_text: null,
    });
    expect(JSON.stringify(await rowOf(forged))).not.toContain('sleeps');
    expect(await rowOf(next)).toMatchObject({ status: 'DIAGNOSED' });
  });

  it('depends neither on the size of batches nor on what the process remembers, and is the same when repeated', async () => {
    const caseId = await record(declinedThenAccepted(newId()));
    const { partition } = runSubjects(caseId, world.log.partitions);
    const { projection, lastSeq } = await world.projectionOf(partition);
    let position = await projection.position(lastSeq);
    for (const message of await world.readAll(partition, position + 1, lastSeq)) {
      // A new process for each message.
      position = await (await world.projectionOf(partition)).projection.project([message], position);
    }
    expect(await viewOf(caseId)).toMatchObject({ status: 'DIAGNOSED', diagnosis: { review: 2 } });
    await world.catchUp();
    const before = await world.dump();
    await world.rows('delete from projection_checkpoint');
    await world.catchUp(3);
    expect(await world.dump()).toBe(before);
  });

  it('is rebuilt beside runs to the same rows as it had live, and keeps cases that the log no longer holds', async () => {
    await record(noCauseEstablished(newId()));
    const open = acceptedEarly(newId());
    await record({ ...open, entries: open.entries.slice(0, 8) });
    const run = diagnosis(newId());
    const subjects = runSubjects(run.runId, world.log.partitions);
    await world.write(subjects.in('request'), 'inquest.in.request.v1', requestOf(run, {}));
    await world.catchUp();
    const old = newId();
    await world.rows(
      `insert into investigation_case (case_id, tenant, principal, question, status, requested_at, ended_at, partition, last_seq)
       values ($1, 'acme', 'acme/ada', 'an old question', 'FAILED', now(), now(), 0, 1)`,
      [old],
    );
    await world.rows(
      `insert into case_hypothesis (case_id, hypothesis_id, statement, confidence, account_state, budget, reserved, spent)
       values ($1, 'h1', 'an old guess', 'refuted', 'rejected', 3, 0, 1)`,
      [old],
    );
    const live = await world.dump();
    await world.rebuild();
    expect(await world.dump()).toBe(live);
    expect(await rowOf(old)).toMatchObject({ question: 'an old question' });
    await world.catchUp();
    expect(await world.dump()).toBe(live);
  });
});

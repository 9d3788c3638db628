import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read model of runs: rows, the log's events in their order, released evidence, and one checkpoint a partition. */
export class ReadModel1772000000000 implements MigrationInterface {
  readonly name = 'ReadModel1772000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table diagnosis_run (
        run_id         text primary key,
        tenant         text not null,
        session_id     text,
        principal      text not null,
        question       text not null,
        source         text,
        status         text not null,
        intent         text,
        outcome        text,
        view           jsonb,
        report_text    text,
        report_hash    text,
        snapshot_hash  text,
        snapshot_text  text,
        body_hash      text,
        requested_at   timestamptz not null,
        started_at     timestamptz,
        released_at    timestamptz,
        ended_at       timestamptz,
        partition      integer not null,
        last_seq       bigint not null
      )`);
    await runner.query(
      `create index diagnosis_run_recent on diagnosis_run (tenant, requested_at desc, run_id desc)`,
    );
    await runner.query(`
      create index diagnosis_run_session on diagnosis_run (tenant, session_id, released_at desc, run_id desc)
        where session_id is not null`);
    await runner.query(`
      create table run_event (
        stream       text not null,
        incarnation  text not null,
        seq          bigint not null,
        run_id       text not null,
        subject      text not null,
        type         text not null,
        stored_at    timestamptz not null,
        causation_id text,
        data         jsonb,
        data_hash    text not null,
        primary key (stream, incarnation, seq)
      )`);
    await runner.query(`create index run_event_of_run on run_event (run_id, seq)`);
    await runner.query(`
      create table run_evidence (
        run_id        text not null,
        tool_call_id  text not null,
        entry         jsonb not null,
        primary key (run_id, tool_call_id)
      )`);
    await runner.query(`
      create table projection_checkpoint (
        stream       text primary key,
        incarnation  text not null,
        seq          bigint not null,
        moved_at     timestamptz not null default now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['projection_checkpoint', 'run_evidence', 'run_event', 'diagnosis_run']) {
      await runner.query(`drop table ${table}`);
    }
  }
}

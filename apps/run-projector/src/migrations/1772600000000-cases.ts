import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The read model of cases. Their events and released evidence stand beside those of runs, under the case's id. */
export class Cases1772600000000 implements MigrationInterface {
  readonly name = 'Cases1772600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table investigation_case (
        case_id        text primary key,
        tenant         text not null,
        session_id     text,
        principal      text not null,
        question       text not null,
        source         text,
        from_run       text,
        status         text not null,
        view           jsonb,
        report_text    text,
        report_hash    text,
        snapshot_hash  text,
        snapshot_text  text,
        body_hash      text,
        requested_at   timestamptz not null,
        started_at     timestamptz,
        ended_at       timestamptz,
        partition      integer not null,
        last_seq       bigint not null
      )`);
    await runner.query(
      `create index investigation_case_recent on investigation_case (tenant, requested_at desc, case_id desc)`,
    );
    await runner.query(`
      create table case_hypothesis (
        case_id        text not null,
        hypothesis_id  text not null,
        statement      text not null,
        confidence     text not null,
        account_state  text not null,
        budget         integer not null,
        reserved       integer not null,
        spent          integer not null,
        closed_because text,
        primary key (case_id, hypothesis_id)
      )`);
    await runner.query(`
      create table case_finding (
        case_id        text not null,
        finding_id     text not null,
        hypothesis_id  text not null,
        text           text not null,
        tool_call_ids  jsonb not null,
        cells          jsonb not null,
        diagnostic     boolean not null,
        primary key (case_id, finding_id)
      )`);
    await runner.query(`
      create table case_review (
        case_id        text not null,
        review         integer not null,
        ref            text,
        state          text not null,
        hypothesis_id  text not null,
        passes         jsonb not null,
        decline_reason text,
        decline_text   text,
        requested_at   timestamptz not null,
        decided_at     timestamptz,
        primary key (case_id, review)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['case_review', 'case_finding', 'case_hypothesis', 'investigation_case']) {
      await runner.query(`drop table ${table}`);
    }
  }
}

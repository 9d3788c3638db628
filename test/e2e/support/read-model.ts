import { Client } from 'pg';
import { waitFor } from '@inquest/testing/wait-for';
import type { TheStack } from './the-stack';

export type Row = { outcome: string; report_text: string | null; report_hash: string | null };

/** The row of an ended run, once the projector has got there. */
export const rowOf = async ({ stack }: TheStack, runId: string): Promise<Row> => {
  const client = new Client({ connectionString: stack.databaseReaderUrl });
  await client.connect();
  const query =
    'select outcome, report_text, report_hash from diagnosis_run where run_id = $1 and outcome is not null';
  return waitFor('the row', async () => (await client.query<Row>(query, [runId])).rows[0]).finally(() =>
    client.end(),
  );
};

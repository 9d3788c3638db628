import { CaseView } from '@inquest/contracts/case-view';
import { waitFor } from '@inquest/testing/wait-for';
import type { Api } from './api';

const ENDED = ['DIAGNOSED', 'INCONCLUSIVE', 'FAILED', 'CANCELLED'];

/** Opens a case over HTTP and returns its id. */
export const openCase = async (api: Api, body: Record<string, unknown>): Promise<string> => {
  const answer = await api.send('POST', '/v1/cases', { body });
  if (answer.status !== 201) throw new Error(`POST /v1/cases: ${answer.status} ${answer.text}`);
  return (JSON.parse(answer.text) as { caseId: string }).caseId;
};

export const viewOfCase = async (api: Api, caseId: string): Promise<CaseView> => {
  const answer = await api.send('GET', `/v1/cases/${caseId}`);
  if (answer.status !== 200) throw new Error(`GET case: ${answer.status} ${answer.text}`);
  return CaseView.parse(JSON.parse(answer.text));
};

export const endOfCase = (api: Api, caseId: string, withinMs = 60_000): Promise<CaseView> =>
  waitFor(
    `the end of case ${caseId}`,
    async () => {
      const now = await viewOfCase(api, caseId);
      return ENDED.includes(now.status) ? now : undefined;
    },
    withinMs,
  );

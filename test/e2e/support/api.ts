import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { NewRun } from '@inquest/contracts/platform-facts';
import type { Problem } from '@inquest/contracts/problem';
import { RunAccepted, RunView, type RunList } from '@inquest/contracts/run-view';
import { waitFor } from '@inquest/testing/wait-for';

const REQUEST_TIMEOUT_MS = 10_000;
const RUN_TIMEOUT_MS = 30_000;

export type Answer = { status: number; headers: Headers; text: string };

/** The gateway's HTTP API as a client holds it: one token, JSON in and out. */
export class Api {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  async send(
    method: 'GET' | 'POST',
    path: string,
    { body, headers }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Asks; anything but a new run fails the test with what was answered. */
  async ask(body: Partial<NewRun> = {}): Promise<RunAccepted> {
    const question = 'Checkouts fail. What is the cause?';
    const answer = await this.send('POST', '/v1/runs', { body: { question, detached: true, ...body } });
    if (answer.status !== 201) throw new Error(`POST /v1/runs: ${answer.status} ${answer.text}`);
    return RunAccepted.parse(JSON.parse(answer.text));
  }

  async view(runId: string): Promise<RunView> {
    const answer = await this.send('GET', `/v1/runs/${runId}`);
    if (answer.status !== 200) throw new Error(`GET run ${runId}: ${answer.status} ${answer.text}`);
    return RunView.parse(JSON.parse(answer.text));
  }

  /** The run once it has its outcome. */
  ended(runId: string, timeoutMs = RUN_TIMEOUT_MS): Promise<RunView> {
    return waitFor(
      `the outcome of ${runId}`,
      async () => {
        const view = await this.view(runId);
        return view.outcome === null ? undefined : view;
      },
      timeoutMs,
    );
  }

  async askAndEnd(body: Partial<NewRun> = {}): Promise<RunView> {
    return this.ended((await this.ask(body)).runId);
  }

  cancel(runId: string): Promise<Answer> {
    return this.send('POST', `/v1/runs/${runId}/cancel`);
  }

  async list(sessionId: string): Promise<RunList['runs']> {
    const answer = await this.send('GET', `/v1/runs?sessionId=${sessionId}`);
    return (JSON.parse(answer.text) as RunList).runs;
  }

  /** The ledger entry of one call with its projection's text. */
  async evidence(runId: string, toolCallId: string): Promise<LedgerEntry> {
    const answer = await this.send('GET', `/v1/runs/${runId}/evidence/${toolCallId}`);
    if (answer.status !== 200) throw new Error(`evidence ${toolCallId}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as LedgerEntry;
  }
}

export const problemKind = ({ text }: Answer): string =>
  (JSON.parse(text) as Problem).type.replace('urn:inquest:problem:', '');

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId } from '@inquest/contracts/ids';
import { runDecision, type RunDecision, type RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { WorkConsumer } from '@inquest/event-log/consumers';
import { askApi } from '@inquest/event-log/js-api';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { readConsumer } from '@inquest/event-log/provisioner';
import { readStackConfig } from '@inquest/local-stack/config';
import { startStack, type Stack, type StackOptions } from '@inquest/local-stack/stack';
import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedRequest,
} from '@inquest/testing/scripted-model';
import { scriptedRun, type ScriptedRole, type ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import { Client } from 'pg';

/** Shorter than in production, so that a killed worker's message comes round within a test. */
export const ACK_WAIT_MS = 2_500;
export const LEASE_MS = 3_000;

/** Longer than any recovery takes on a busy machine; in production the ack wait and the lease alone are 30 s each. */
const RECOVERY_MAX_MS = 25_000;

export const INCIDENT = 'checkout-pool-exhaustion';

/** Answers of the model that wait until the test lets them go: to one step, of every run that comes to it. */
export type HeldAnswers = {
  /** The first request for one. */
  asked: Promise<ScriptedRequest>;
  /** Resolves when so many runs wait for theirs. */
  waiting: (runs: number) => Promise<void>;
  release: () => void;
};

/** What people ask; `key` makes a repeated question meet the same run. */
export type Question = { question?: string; key?: string; detached?: boolean; sessionId?: string };

type Hold = { role: ScriptedRole; step: string; pass: (request: ScriptedRequest) => Promise<undefined> };

/** The whole system as separate processes, with a model that the test plays, and the log and the rows to look into. */
export class CrashWorld {
  private knobs: ScriptedRunKnobs = {};
  private holds: Hold[] = [];

  private constructor(
    readonly stack: Stack,
    readonly model: ScriptedModel,
    readonly nc: NatsConnection,
    readonly log: NatsEventLog,
    private readonly dataDir: string,
  ) {}

  static async start(options: Pick<StackOptions, 'instances'> = {}): Promise<CrashWorld> {
    const dataDir = mkdtempSync(join(tmpdir(), 'inquest-crash-'));
    // As root the database runs as another user, who has to pass through.
    chmodSync(dataDir, 0o755);
    const model = await startScriptedModel(scriptedRun());
    const config = readStackConfig({
      INQUEST_DATA_DIR: dataDir,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      MODEL_AGENT: 'scripted',
      LOG_LEVEL: 'warn',
    });
    const lease = { LEASE_MS: String(LEASE_MS) };
    const env = { 'agent-runner': lease, 'semantic-guard': lease };
    const stack = await startStack({ ...options, config, dataDir, env, ackWaitMs: ACK_WAIT_MS });
    const nc = await connectNats({ url: stack.natsUrl, service: 'operator' });
    const world = new CrashWorld(stack, model, nc, await NatsEventLog.open(nc), dataDir);
    world.play({});
    return world;
  }

  async stop(): Promise<void> {
    await this.nc.close();
    await this.stack.stop();
    await this.model.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** From now on the model behaves like this; what was held is forgotten. */
  play(knobs: ScriptedRunKnobs): void {
    this.knobs = knobs;
    this.holds = [];
    this.model.play(
      scriptedRun({
        ...this.knobs,
        intercept: (role, request, { runId, step }) => {
          if (runId === 'canary') return undefined;
          const hold = this.holds.find((each) => each.role === role && each.step === step);
          return hold?.pass(request);
        },
      }),
    );
  }

  hold(role: ScriptedRole, step: string): HeldAnswers {
    let release = (): void => undefined;
    const open = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
    const requests: ScriptedRequest[] = [];
    const pass = (request: ScriptedRequest) => {
      requests.push(request);
      return open;
    };
    this.holds.push({ role, step, pass });
    const arrived = (count: number) =>
      waitFor(`${count} requests for ${step}`, () => requests[count - 1], RECOVERY_MAX_MS);
    return { asked: arrived(1), waiting: async (runs) => void (await arrived(runs)), release };
  }

  get headers(): Record<string, string> {
    return {
      authorization: `Bearer ${this.stack.tokens['local-operator']}`,
      'content-type': 'application/json',
    };
  }

  /** Asks as a client does: again, with the same key, for as long as there is no answer. */
  async ask(asked: Question = {}): Promise<AcceptedRun> {
    const { key = randomUUID(), ...more } = asked;
    const body = JSON.stringify({
      question: 'Why is checkout failing?',
      source: INCIDENT,
      detached: true,
      ...more,
    });
    const headers = { ...this.headers, 'idempotency-key': key };
    const response = await waitFor(
      'the gateway to take a question',
      async () => {
        const answer = await fetch(`${this.stack.gatewayUrl}/v1/runs`, {
          method: 'POST',
          headers,
          body,
        }).catch(() => undefined);
        return answer?.ok ? answer : undefined;
      },
      RECOVERY_MAX_MS,
    );
    return (await response.json()) as AcceptedRun;
  }

  async view(runId: RunId): Promise<{ status: string; outcome: string | null; report?: unknown }> {
    const response = await fetch(`${this.stack.gatewayUrl}/v1/runs/${runId}`, { headers: this.headers });
    if (!response.ok) throw new Error(`GET run: ${response.status} ${await response.text()}`);
    return (await response.json()) as { status: string; outcome: string | null };
  }

  subjects(runId: RunId): RunSubjects {
    return runSubjects(runId, this.log.partitions);
  }

  async chain(runId: RunId): Promise<{ seq: number; decision: RunDecision }[]> {
    const messages = await this.log.readChain(this.subjects(runId).chain);
    return messages.map(({ seq, data }) => ({
      seq,
      decision: runDecision.schema.parse(data) as RunDecision,
    }));
  }

  async events(runId: RunId): Promise<RunEvent[]> {
    return (await this.chain(runId)).flatMap(({ decision }) => decision.events);
  }

  /** Waits for a decision of this type. The broker may be away meanwhile. */
  async until(runId: RunId, type: RunEvent['type']): Promise<void> {
    const happened = async () =>
      (await this.events(runId).catch(() => [])).some((event) => event.type === type) || undefined;
    await waitFor(`${type} of ${runId}`, happened, RECOVERY_MAX_MS);
  }

  /** Waits for a fact of the log. */
  async fact(subject: string): Promise<unknown> {
    const message = await waitFor(subject, () => this.log.readLast(subject, 'leader'), RECOVERY_MAX_MS);
    return message.data;
  }

  /** How many messages stand under each subject of a run. */
  async counts(runId: RunId): Promise<Record<string, number>> {
    const { stream, partition } = this.subjects(runId);
    const query = { subjects_filter: `diag.${partition}.${runId}.>` };
    const info = await askApi<{ state: { subjects?: Record<string, number> } }>(
      this.nc,
      `STREAM.INFO.${stream}`,
      query,
    );
    return info.state.subjects ?? {};
  }

  /** The process stands still from here on, as one does between two of its instructions. */
  freeze(name: string): void {
    this.signal(name, 'SIGSTOP');
  }

  thaw(name: string): void {
    this.signal(name, 'SIGCONT');
  }

  private signal(name: string, signal: NodeJS.Signals): void {
    const { pid } = this.stack.process(name);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, signal);
  }

  /** Waits until the broker has handed somebody a message of the run's partition that nobody has answered yet. */
  async inHand(consumer: WorkConsumer, runId: RunId): Promise<void> {
    const { stream } = this.subjects(runId);
    await waitFor(`a message of ${consumer} in a worker's hand`, async () => {
      const info = await readConsumer(this.nc, { stream, consumer });
      return (info?.num_ack_pending ?? 0) > 0 || undefined;
    });
  }

  /** Every process serves again. */
  async whole(): Promise<void> {
    await Promise.all(this.stack.processes().map((each) => each.whenReady(RECOVERY_MAX_MS)));
  }

  /** One row of `diagnosis_run`, once it has an outcome. */
  async endedRow(runId: RunId): Promise<DiagnosisRunRow> {
    return waitFor(
      `the row of ${runId}`,
      async () => {
        const row = await this.row(runId).catch(() => undefined);
        return row?.outcome === null ? undefined : row;
      },
      RECOVERY_MAX_MS,
    );
  }

  private async row(runId: RunId): Promise<DiagnosisRunRow | undefined> {
    const client = new Client({
      connectionString: this.stack.databaseReaderUrl,
      connectionTimeoutMillis: 1_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<DiagnosisRunRow>(
        'select status, outcome, view, report_text, report_hash, snapshot_hash from diagnosis_run where run_id = $1',
        [runId],
      );
      return rows[0];
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

export type AcceptedRun = { runId: RunId; status: string; streamToken?: string };

export type DiagnosisRunRow = {
  status: string;
  outcome: string | null;
  view: unknown;
  report_text: string | null;
  report_hash: string | null;
  snapshot_hash: string | null;
};

import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { type RunRequested } from '@inquest/contracts/inbound-facts';
import type { EventLog } from '@inquest/event-log/event-log';
import type { Logger } from '@inquest/service-shell/logger';
import {
  EVENT_LOG,
  NATS_CONNECTION,
  SERVICE_CONFIG,
  SHELL_LOGGER,
} from '@inquest/service-shell/injection-keys';
import { narrowedPolicy } from './case/case.policy';
import { EVALUATOR_PROMPT, PROMPTS } from './case/prompts';
import { limitsOf, policyOf, type OrchestratorConfig } from './config';
import { EntryGate } from './gate/entry-gate';
import { LookAtRunController } from './handlers/look-at-run.controller';
import { PostgresSessionHistory } from './previous-turn/postgres-session-history';
import { NO_HISTORY, previousTurnOf, type SessionHistory } from './previous-turn/previous-turn';
import { lookAtOpenRuns, type OpenOne } from './reconcile/open-runs';
import { CaseReconciler, type CaseTerms } from './reconcile/reconcile-case';
import { RunReconciler, type StartTerms } from './reconcile/reconcile-run';
import { narrowed } from './run/run.limits';

const historyOf = (
  config: OrchestratorConfig,
  logger: Logger,
): SessionHistory & { close(): Promise<void> } => {
  if (config.DATABASE_URL === undefined) return NO_HISTORY;
  const pool = new Pool({
    connectionString: config.DATABASE_URL,
    max: 4,
    connectionTimeoutMillis: 1_000,
    query_timeout: 2_000,
    application_name: 'harness-orchestrator',
  });
  // An idle connection that the server ends is replaced by the next query.
  pool.on('error', (error) => logger.warn('a database connection was lost', { error: error.message }));
  return new PostgresSessionHistory(pool);
};

const termsOf = (config: OrchestratorConfig, history: SessionHistory, gate: EntryGate): StartTerms => {
  const limits = limitsOf(config);
  const clock = { nowMs: () => Date.now(), pause: (ms: number) => pause(ms) };
  return {
    of: async (request: RunRequested) => {
      const [previousTurn, state] = await Promise.all([previousTurnOf(request, history, clock), gate.look()]);
      return {
        limits: narrowed(limits, request.limits),
        idMode: config.TOOL_CALL_IDS,
        ruleSet: RULE_SET,
        previousTurn,
        gate: state,
      };
    },
  };
};

const caseTermsOf = (config: OrchestratorConfig, gate: EntryGate): CaseTerms => {
  const policy = policyOf(config);
  return {
    prompts: PROMPTS,
    of: async (request) => ({
      policy: narrowedPolicy(policy, request.policy),
      evaluatorVersion: EVALUATOR_PROMPT,
      ruleSet: RULE_SET,
      gate: await gate.look(),
    }),
  };
};

const HISTORY = Symbol('HISTORY');

@Module({
  controllers: [LookAtRunController],
  providers: [
    { provide: HISTORY, inject: [SERVICE_CONFIG, SHELL_LOGGER], useFactory: historyOf },
    {
      provide: RunReconciler,
      inject: [EVENT_LOG, SERVICE_CONFIG, HISTORY, SHELL_LOGGER],
      useFactory: (log: EventLog, config: OrchestratorConfig, history: SessionHistory, logger: Logger) =>
        new RunReconciler(
          log,
          termsOf(config, history, new EntryGate(log, () => Date.now())),
          () => Date.now(),
          (error, runId) =>
            logger.warn('a look at a run failed; its wake-up comes back', { runId, error: String(error) }),
        ),
    },
    {
      provide: CaseReconciler,
      inject: [EVENT_LOG, SERVICE_CONFIG, SHELL_LOGGER],
      useFactory: (log: EventLog, config: OrchestratorConfig, logger: Logger) =>
        new CaseReconciler(
          log,
          caseTermsOf(config, new EntryGate(log, () => Date.now())),
          () => Date.now(),
          (error, caseId) =>
            logger.warn('a look at a case failed; its wake-up comes back', { caseId, error: String(error) }),
        ),
    },
  ],
})
export class HarnessOrchestratorModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();

  constructor(
    private readonly runs: RunReconciler,
    private readonly cases: CaseReconciler,
    @Inject(HISTORY) private readonly history: { close(): Promise<void> },
    @Inject(NATS_CONNECTION) private readonly nc: NatsConnection,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
  ) {}

  /** Beside the work that is handed out: nobody waits for it. */
  onApplicationBootstrap(): void {
    const look = ({ runId, ofCase }: OpenOne) =>
      (ofCase ? this.cases : this.runs).reconcile(runId).catch((error: unknown) => this.failed(error, runId));
    lookAtOpenRuns(this.nc, look, this.stopping.signal).then(
      (runs) => this.logger.info('looked at the open runs', { runs }),
      (error: unknown) => this.failed(error),
    );
  }

  private failed(error: unknown, runId?: RunId): void {
    if (this.stopping.signal.aborted) return;
    this.logger.warn('a first look failed; the wake-ups come back', { runId, error: String(error) });
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.runs.stop();
    this.cases.stop();
    await this.history.close();
  }
}

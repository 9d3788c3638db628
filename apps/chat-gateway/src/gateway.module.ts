import { Module, type FactoryProvider } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import {
  EVENT_LOG,
  NATS_CONNECTION,
  PAYLOAD_STORE,
  SERVICE_CONFIG,
} from '@inquest/service-shell/injection-keys';
import type { GatewayConfig } from './config';
import { BundleReader } from './bundles/bundle-reader';
import { BundlesController } from './bundles/bundles.controller';
import { CaseCanceller } from './cases/cancel-case';
import { CaseEvidenceReader } from './cases/case-evidence';
import { CaseReader } from './cases/case-reader';
import { NO_CASE_ROWS, PgCaseRows, type CaseRows } from './cases/case-rows';
import { CaseStreams } from './cases/case-streams';
import { CaseTail } from './cases/case-tail';
import { CasesController } from './cases/cases.controller';
import { CaseOpener } from './cases/open-case';
import { EntryAnswers } from './entry/entry-answers';
import { EntryController } from './entry/entry.controller';
import { EvidenceReader } from './evidence/evidence-reader';
import { EvidenceController } from './evidence/evidence.controller';
import { GateReader } from './gate/gate-reader';
import { LegacyPath } from './gate/legacy-path';
import { GatewayLifecycle } from './gateway-lifecycle';
import { RunCanceller } from './runs/cancel-run';
import { ReadPool } from './runs/read-pool';
import { RunReader } from './runs/run-reader';
import { NO_ROWS, PgRunRows, type RunRows } from './runs/run-rows';
import { AlertsController } from './alerts/alerts.controller';
import { RunsController } from './runs/runs.controller';
import { RunStarter } from './runs/start-run';
import { ChainTail } from './stream/chain-tail';
import { EventStreams } from './stream/event-streams';
import { EventsController } from './stream/events.controller';
import { OwnerStreams } from './stream/owner-streams';
import { StreamTokens } from './stream/stream-token';
import { SystemController } from './system/system.controller';
import { CASE_ROWS, CONFIGURED_SOURCES, PUBLISHERS, READ_POOL, RUN_ROWS } from './injection-keys';

const provide = <Value>(
  token: FactoryProvider['provide'],
  inject: FactoryProvider['inject'],
  useFactory: (...parts: never[]) => Value,
): FactoryProvider<Value> => ({
  provide: token,
  inject,
  useFactory: useFactory as FactoryProvider<Value>['useFactory'],
});

const READ_MODEL = [
  provide(READ_POOL, [SERVICE_CONFIG], ({ DATABASE_URL }: GatewayConfig): ReadPool | null =>
    DATABASE_URL === undefined ? null : new ReadPool(DATABASE_URL),
  ),
  provide(RUN_ROWS, [READ_POOL], (pool: ReadPool | null): RunRows =>
    pool === null ? NO_ROWS : new PgRunRows(pool),
  ),
  provide(CASE_ROWS, [READ_POOL], (pool: ReadPool | null): CaseRows =>
    pool === null ? NO_CASE_ROWS : new PgCaseRows(pool),
  ),
];

const CONFIGURED = [
  provide(CONFIGURED_SOURCES, [SERVICE_CONFIG], ({ INCIDENT_SOURCES }: GatewayConfig) => INCIDENT_SOURCES),
  provide(PUBLISHERS, [SERVICE_CONFIG], ({ PUBLISHERS: publishers }: GatewayConfig) => publishers),
  provide(
    StreamTokens,
    [SERVICE_CONFIG],
    ({ streamSecret }: GatewayConfig) => new StreamTokens(streamSecret),
  ),
  provide(
    LegacyPath,
    [SERVICE_CONFIG],
    ({ LEGACY_CHAT_URL }: GatewayConfig) => new LegacyPath(LEGACY_CHAT_URL),
  ),
];

const FOLLOWING = [
  provide(
    ChainTail,
    [NATS_CONNECTION, EVENT_LOG],
    (nc: NatsConnection, log: EventLog) => new ChainTail(nc, log.partitions),
  ),
  provide(
    GateReader,
    [NATS_CONNECTION, EVENT_LOG, LegacyPath],
    (nc: NatsConnection, log: EventLog, legacy: LegacyPath) =>
      new GateReader(nc, log, { legacyConfigured: legacy.configured }),
  ),
  provide(OwnerStreams, [EVENT_LOG], (log: EventLog) => new OwnerStreams(log)),
  provide(
    EventStreams,
    [RunReader, ChainTail, OwnerStreams, StreamTokens],
    (reader: RunReader, tail: ChainTail, owners: OwnerStreams, tokens: StreamTokens) =>
      new EventStreams(reader, tail, owners, tokens),
  ),
  provide(
    EntryAnswers,
    [NATS_CONNECTION, RunReader, ChainTail],
    (nc: NatsConnection, reader: RunReader, tail: ChainTail) => new EntryAnswers(nc, reader, tail),
  ),
];

const RUNS = [
  provide(
    RunReader,
    [EVENT_LOG, PAYLOAD_STORE, RUN_ROWS, ChainTail],
    (log: EventLog, payloads: PayloadStore, rows: RunRows, tail: ChainTail) =>
      new RunReader(log, payloads, rows, tail),
  ),
  provide(
    RunStarter,
    [EVENT_LOG, RUN_ROWS, RunReader, ChainTail, GateReader],
    (log: EventLog, rows: RunRows, reader: RunReader, tail: ChainTail, gate: GateReader) =>
      new RunStarter(log, rows, reader, tail, gate),
  ),
  provide(
    RunCanceller,
    [EVENT_LOG, RunReader],
    (log: EventLog, reader: RunReader) => new RunCanceller(log, reader),
  ),
  provide(
    EvidenceReader,
    [RunReader, PAYLOAD_STORE, RUN_ROWS],
    (reader: RunReader, payloads: PayloadStore, rows: RunRows) => new EvidenceReader(reader, payloads, rows),
  ),
  provide(
    BundleReader,
    [EVENT_LOG, PAYLOAD_STORE, RUN_ROWS, RunReader],
    (log: EventLog, payloads: PayloadStore, rows: RunRows, reader: RunReader) =>
      new BundleReader(log, payloads, rows, reader),
  ),
];

const CASES = [
  provide(
    CaseTail,
    [NATS_CONNECTION, EVENT_LOG],
    (nc: NatsConnection, log: EventLog) => new CaseTail(nc, log.partitions),
  ),
  provide(
    CaseReader,
    [EVENT_LOG, PAYLOAD_STORE, CASE_ROWS, RunReader],
    (log: EventLog, payloads: PayloadStore, rows: CaseRows, runs: RunReader) =>
      new CaseReader(log, payloads, rows, runs),
  ),
  provide(
    CaseOpener,
    [EVENT_LOG, CASE_ROWS, CaseReader, RunReader, GateReader],
    (log: EventLog, rows: CaseRows, reader: CaseReader, runs: RunReader, gate: GateReader) =>
      new CaseOpener(log, rows, reader, runs, gate),
  ),
  provide(
    CaseCanceller,
    [EVENT_LOG, CaseReader, RunReader],
    (log: EventLog, reader: CaseReader, runs: RunReader) => new CaseCanceller(log, reader, runs),
  ),
  provide(
    CaseEvidenceReader,
    [CaseReader, RunReader, PAYLOAD_STORE, CASE_ROWS],
    (reader: CaseReader, runs: RunReader, payloads: PayloadStore, rows: CaseRows) =>
      new CaseEvidenceReader(reader, runs, payloads, rows),
  ),
  provide(
    CaseStreams,
    [CaseReader, RunReader, CaseTail],
    (reader: CaseReader, runs: RunReader, tail: CaseTail) => new CaseStreams(reader, runs, tail),
  ),
];

@Module({
  controllers: [
    RunsController,
    AlertsController,
    CasesController,
    EventsController,
    EvidenceController,
    BundlesController,
    SystemController,
    EntryController,
  ],
  providers: [...READ_MODEL, ...CONFIGURED, ...FOLLOWING, ...RUNS, ...CASES, GatewayLifecycle],
})
export class GatewayModule {}

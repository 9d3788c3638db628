import { askApi } from '@inquest/event-log/js-api';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import {
  cutOver,
  serviceAnnounced,
  type CutOver,
  type ServiceAnnounced,
} from '@inquest/contracts/platform-facts';
import { announcementSubject, CUT_OVER_SUBJECT, streamOf } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { readControl, writeControl } from '@inquest/event-log/control';
import { messageOf } from '@inquest/event-log/message';
import { natsConfigText } from '@inquest/event-log/nats-config';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { publisherUser, SERVICE_USERS, type ServiceUser } from '@inquest/event-log/permissions';
import { provision } from '@inquest/event-log/provisioner';
import { publishLatest } from '@inquest/event-log/publish-latest';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { chatGateway } from '../src/chat-gateway';
import { gatewayEnv } from '../src/config';

/** Tokens of the tests, by what they may do. */
export const TOKENS = {
  ask: 'token-of-somebody-who-asks',
  watch: 'token-of-somebody-who-watches',
  operate: 'token-of-somebody-who-operates',
  audit: 'token-of-somebody-who-audits',
  alert: 'token-of-an-alertmanager',
  other: 'token-of-somebody-at-another-tenant',
} as const;

const GRANTS = [
  { token: TOKENS.ask, tenant: 'acme', subject: 'ada', scopes: ['ask'] },
  { token: TOKENS.watch, tenant: 'acme', subject: 'wil', scopes: ['watch'] },
  { token: TOKENS.operate, tenant: 'acme', subject: 'otto', scopes: ['operate'] },
  { token: TOKENS.audit, tenant: 'acme', subject: 'alma', scopes: ['audit'] },
  { token: TOKENS.alert, tenant: 'acme', subject: 'alertmanager', scopes: ['alert'] },
  { token: TOKENS.other, tenant: 'globex', subject: 'eve', scopes: ['ask', 'watch', 'operate', 'audit'] },
];

export const RULE_SET = 'evidence-2';
export const PUBLISHER = 'portal';

export type Gateway = { url: string; service: RunningService; stop: () => Promise<void> };

/** A broker with the users of production, provisioned, and the writers that the other services would be. */
export class World {
  private readonly connections: NatsConnection[] = [];
  private readonly gateways: Gateway[] = [];
  private timers: NodeJS.Timeout[] = [];

  private constructor(
    readonly nats: TestNats,
    private readonly operator: NatsConnection,
  ) {
    this.connections.push(operator);
  }

  static async start(): Promise<World> {
    const passwords = Object.fromEntries(SERVICE_USERS.map((user) => [user, `${user}-secret`]));
    const nats = await startNats((at) =>
      natsConfigText({ ...at, passwords, publishers: { [PUBLISHER]: 'portal-secret' } }),
    );
    const operator = await connectNats({ url: urlFor(nats, 'operator'), service: 'operator' });
    await provision(operator);
    return new World(nats, operator);
  }

  async connect(user: ServiceUser): Promise<NatsConnection> {
    const nc = await connectNats({ url: urlFor(this.nats, user), service: user });
    this.connections.push(nc);
    return nc;
  }

  get publisherUrl(): string {
    return this.nats.url.replace('nats://', `nats://${publisherUser(PUBLISHER)}:portal-secret@`);
  }

  /** As a platform gateway connects. */
  async connectPublisher(): Promise<NatsConnection> {
    const nc = await connectNats({ url: this.publisherUrl, service: publisherUser(PUBLISHER) });
    this.connections.push(nc);
    return nc;
  }

  /** Every request that any gateway has written. */
  async requests(): Promise<RunRequested[]> {
    const log = await NatsEventLog.open(this.operator);
    const partitions = Array.from({ length: log.partitions }, (_, partition) => partition);
    const subjects = await Promise.all(
      partitions.map(async (partition) => {
        const query = { subjects_filter: `diag.${partition}.*.in.request` };
        const info = await askApi<{ state: { subjects?: Record<string, number> } }>(
          this.operator,
          `STREAM.INFO.${streamOf(partition)}`,
          query,
        );
        return Object.keys(info.state.subjects ?? {});
      }),
    );
    const facts = await Promise.all(subjects.flat().map((subject) => log.readLast(subject, 'leader')));
    return facts.map((fact) => runRequested.schema.parse(fact?.data));
  }

  async log(user: ServiceUser): Promise<NatsEventLog> {
    return NatsEventLog.open(await this.connect(user));
  }

  async turnGate(fact: CutOver): Promise<void> {
    const log = await NatsEventLog.open(this.operator);
    const last = await readControl(log, CUT_OVER_SUBJECT);
    const frame = { subject: CUT_OVER_SUBJECT, type: cutOver.type, source: 'operator', time: fact.at };
    await writeControl(log, CUT_OVER_SUBJECT, messageOf(frame, fact), last?.seq ?? 0);
  }

  cutOver(): Promise<void> {
    const at = new Date().toISOString();
    return this.turnGate({
      kind: 'CUT_OVER',
      contractVersion: CONTRACT_VERSION,
      ruleSet: RULE_SET,
      at,
      by: 'test',
    });
  }

  async announce(
    nc: NatsConnection,
    fact: Pick<ServiceAnnounced, 'service'> & Partial<ServiceAnnounced>,
  ): Promise<void> {
    const at = new Date().toISOString();
    const whole = {
      instance: 'one',
      contractVersion: CONTRACT_VERSION,
      version: '0.1.0',
      startedAt: at,
      at,
      ...fact,
    };
    const subject = announcementSubject(whole.service, whole.instance);
    const frame = { subject, type: serviceAnnounced.type, source: whole.service, time: at };
    await publishLatest(nc, subject, messageOf(frame, serviceAnnounced.schema.parse(whole)));
  }

  /** Both guards, as healthy as they can be, for as long as the world stands. */
  async guards(): Promise<void> {
    const evidence = await this.connect('evidence-guard');
    const semantic = await this.connect('semantic-guard');
    const judge = { healthy: true, model: 'rules-judge', checkedAt: null, why: null };
    const beat = async (): Promise<void> => {
      await this.announce(evidence, { service: 'evidence-guard', ruleSet: RULE_SET });
      await this.announce(semantic, { service: 'semantic-guard', judge });
    };
    await beat();
    this.timers.push(setInterval(() => void beat().catch(() => undefined), 5_000));
  }

  /** A gateway of its own process's making, on a port of its own. */
  async gateway(env: Record<string, string> = {}): Promise<Gateway> {
    const config = parseConfig(gatewayEnv, {
      NATS_URL: urlFor(this.nats, 'chat-gateway'),
      TOKENS: JSON.stringify(GRANTS),
      PUBLISHERS: JSON.stringify([{ publisher: PUBLISHER, tenants: ['acme'] }]),
      INCIDENT_SOURCES: 'shop-pool=somewhere,quiet-day',
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...env,
    });
    const service = await startService(chatGateway(config));
    const { port } = (service.app as INestApplication).getHttpServer().address() as AddressInfo;
    const gateway = { url: `http://127.0.0.1:${port}`, service, stop: () => service.stop() };
    this.gateways.push(gateway);
    return gateway;
  }

  async openGateway(env: Record<string, string> = {}): Promise<Gateway> {
    await this.cutOver();
    await this.guards();
    const gateway = await this.gateway(env);
    await waitFor('the gate to open', async () => {
      const { entry } = (await (
        await call(gateway, 'GET', '/v1/system', { token: TOKENS.operate })
      ).json()) as { entry: { path: string } };
      return entry.path === 'GUARDED' || undefined;
    });
    return gateway;
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.gateways.map(({ stop }) => stop()));
    await Promise.all(this.connections.map((nc) => nc.close()));
    await this.nats.stop();
  }
}

const urlFor = (nats: TestNats, user: ServiceUser): string =>
  nats.url.replace('nats://', `nats://${user}:${user}-secret@`);

export type CallOptions = {
  token?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON; a text as it is. */
  body?: unknown;
  signal?: AbortSignal;
};

export const call = (
  { url }: Pick<Gateway, 'url'>,
  method: string,
  path: string,
  { token, headers = {}, body, signal }: CallOptions = {},
): Promise<Response> =>
  fetch(new URL(path, url), {
    method,
    signal,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  NATS_CONNECTION,
  SERVICE_IDENTITY,
  type ServiceIdentity,
} from '@inquest/service-shell/injection-keys';
import type { Response } from 'express';
import { CaseStreams } from '../cases/case-streams';
import { GateReader } from '../gate/gate-reader';
import { openApi } from '../http/open-api';
import { Public, Scopes } from '../http/scopes';
import type { RunRows } from '../runs/run-rows';
import { EventStreams } from '../stream/event-streams';
import { RUN_ROWS } from '../injection-keys';
import { VERSION } from '../version';
import type { Health, Readiness, SystemView } from './system-view';

const POINTER = [
  'Inquest: evidence-guarded incident diagnosis.',
  '',
  'POST /v1/runs            ask a question        GET /v1/runs/{runId}         read the run',
  'GET  /v1/runs/{runId}/events  follow it (SSE)   GET /openapi.json            every route',
  'POST /v1/cases           open an investigation GET /v1/cases/{caseId}       read it',
  'GET  /healthz  /readyz',
  '',
].join('\n');

@Controller()
export class SystemController {
  constructor(
    private readonly gate: GateReader,
    private readonly streams: EventStreams,
    private readonly caseStreams: CaseStreams,
    @Inject(NATS_CONNECTION) private readonly nc: NatsConnection,
    @Inject(SERVICE_IDENTITY) private readonly identity: ServiceIdentity,
    @Inject(RUN_ROWS) private readonly rows: RunRows,
  ) {}

  @Get('v1/system')
  @Scopes('watch', 'operate')
  async system(): Promise<SystemView> {
    const services = this.gate.services();
    const judges = services.filter(({ service }) => service === 'semantic-guard');
    const decision = this.gate.decide();
    const refused = decision.kind === 'REFUSED' ? decision : undefined;
    return {
      gateway: {
        instance: this.identity.instance,
        version: VERSION,
        startedAt: this.identity.startedAt,
        openStreams: this.streams.count + this.caseStreams.count,
      },
      services,
      judgeHealthy: judges.length === 0 ? null : judges.some(({ judge }) => judge?.healthy),
      cutOver: this.gate.cutOver(),
      entry: { path: decision.kind, refusal: refused?.problem ?? null, detail: refused?.detail ?? null },
      log: {
        server: {
          name: this.nc.info?.server_name ?? '',
          version: this.nc.info?.version ?? '',
          connected: await this.logAnswers(),
        },
        partitions: this.gate
          .partitionStates()
          .map(({ subjects, messages, bytes, bytesMax, lastSeq }, partition) => ({
            partition,
            subjects,
            messages,
            bytes,
            bytesMax,
            lastSeq,
          })),
      },
      readModel: { available: await this.rowsAnswer() },
    };
  }

  @Get('healthz')
  @Public()
  health(): Health {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  async ready(@Res() response: Response): Promise<void> {
    const [log, readModel] = await Promise.all([this.logAnswers(), this.rowsAnswer()]);
    const body: Readiness = {
      status: log ? 'ready' : 'not-ready',
      checks: {
        log: log ? 'up' : 'down',
        readModel: readModel ? 'up' : 'down',
        guards: this.gate.guardsProblem() === undefined ? 'up' : 'down',
      },
    };
    response.status(log ? 200 : 503).json(body);
  }

  @Get('openapi.json')
  @Public()
  description(): object {
    return openApi();
  }

  @Get()
  @Public()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  pointer(): string {
    return POINTER;
  }

  /** A round trip to the broker, within a second. */
  private async logAnswers(): Promise<boolean> {
    if (this.nc.isClosed()) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), 1_000)));
    const answers = this.nc.flush().then(
      () => true,
      () => false,
    );
    return Promise.race([answers, late]).finally(() => clearTimeout(timer));
  }

  private rowsAnswer(): Promise<boolean> {
    return this.rows.ping().then(
      () => true,
      () => false,
    );
  }
}

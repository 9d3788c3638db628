import { Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { Token } from '@inquest/contracts/ids';
import type { Request, Response } from 'express';
import { CurrentCaller } from '../http/authenticate';
import { principalOf, type Caller } from '../http/callers';
import { jsonBody } from '../http/json-body';
import { parsed, ProblemError } from '../http/problem-error';
import { refusalOf } from '../http/refusal';
import { Scopes } from '../http/scopes';
import { CONFIGURED_SOURCES } from '../injection-keys';
import { checkPlace } from '../runs/new-run';
import { runIdForKey } from '../runs/run-id';
import { RunStarter } from '../runs/start-run';
import { AlertBudget } from './alert-budget';
import { AlertNotification, type AlertRun } from './alert-notification';
import { questionOfAlerts } from './question-of-alerts';

/** The webhook of an Alertmanager: a group that fires opens one run. */
@Controller('v1/webhooks/alertmanager')
export class AlertsController {
  private readonly budget = new AlertBudget();

  constructor(
    private readonly starter: RunStarter,
    @Inject(CONFIGURED_SOURCES) private readonly sources: ReadonlySet<string> | undefined,
  ) {}

  @Post(':source')
  @Scopes('alert')
  async notify(
    @Param('source') name: string,
    @Req() request: Request,
    @Res() response: Response,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const source = parsed('source', Token, name);
    checkPlace({ source }, this.sources);
    const notification = parsed('body', AlertNotification, jsonBody(request));
    const question = questionOfAlerts(notification, source, Date.now());
    if (question === undefined) return void response.status(200).json(told(null, false));
    const runId = runIdForKey(caller.tenant, question.key);
    const asker = { tenant: caller.tenant, principal: principalOf(caller), entry: null };
    const account = `${caller.tenant}/${source}`;
    const waitS = this.budget.waitS(account, Date.now());
    const known = waitS === undefined ? undefined : await this.starter.find(runId, asker, question);
    if (known) return void response.status(200).json(told(runId, false));
    if (waitS !== undefined)
      throw new ProblemError(
        'too-many-runs',
        {
          detail:
            'Alerts of this source have opened their number of runs for this hour. Group them more coarsely.',
        },
        { 'Retry-After': String(waitS) },
      );
    const started = await this.starter.start(runId, true, asker, question);
    if ('gate' in started) {
      // The old path knows no alerts.
      if (started.gate.kind === 'REFUSED') throw refusalOf(started.gate);
      throw new ProblemError('not-cut-over', { detail: 'Alerts are diagnosed on the guarded path only.' });
    }
    if (started.created) this.budget.spend(account, Date.now());
    response.status(started.created ? 201 : 200).json(told(runId, started.created));
  }
}

const told = (runId: string | null, created: boolean): AlertRun => ({ runId, created });

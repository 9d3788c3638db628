import { Controller, Inject } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { RunId } from '@inquest/contracts/ids';
import { wakeUp, type WakeUp } from '@inquest/contracts/platform-facts';
import { parseSubject, runSubjects, type ParsedSubject } from '@inquest/contracts/subjects';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { wakeDelayMs } from '@inquest/event-log/timers';
import { Poison, type WorkContext } from '@inquest/event-log/work';
import type { Logger } from '@inquest/service-shell/logger';
import { EVENT_LOG, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import { PROMPTS } from '../case/prompts';
import { caseTriggerOf, isOfCase } from '../reconcile/case-trigger';
import { CaseReconciler } from '../reconcile/reconcile-case';
import { RunReconciler } from '../reconcile/reconcile-run';
import type { Reconciled } from '../reconcile/reconciler';
import { triggerOf } from '../reconcile/trigger';

/** When a wake-up is first acted on: a process that died right after writing it has left nothing else behind. */
const FIRST_LOOK_MS = 2_000;

/** The three ways in which the log says "look at run X", or at case X; all of them end in the same reconcile. */
@Controller()
export class LookAtRunController {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
    private readonly runs: RunReconciler,
    private readonly cases: CaseReconciler,
  ) {}

  @EventPattern('harness-in')
  onInbound(@Payload() message: StoredMessage): Promise<void> {
    return this.look(message);
  }

  @EventPattern('harness-res')
  onResult(@Payload() message: StoredMessage): Promise<void> {
    return this.look(message);
  }

  /** The durable wake-up: comes back until the run has ended, at most 30 s apart, and asks the clock anew each time. */
  @EventPattern('timer')
  async onWakeUp(@Payload() message: StoredMessage, @Ctx() context: WorkContext): Promise<void> {
    const parsed = wakeUp.schema.safeParse(message.data);
    if (!parsed.success) throw new Poison('a wake-up breaks its contract');
    // It comes the moment it is written, by a process that is at work on the run.
    const ageMs = Date.now() - message.storedAtMs;
    if (context.deliveryCount === 1 && Math.abs(ageMs) < FIRST_LOOK_MS) context.retryLater(FIRST_LOOK_MS);
    const { runId, aggregate } = parsed.data as WakeUp;
    const reconciler = aggregate === 'case' ? this.cases : this.runs;
    const looked = await reconciler.reconcile(RunId.parse(runId));
    if (looked.kind === 'EXPIRED' || looked.ended || looked.dueInMs === null) return;
    context.retryLater(wakeDelayMs(looked.dueInMs, 0));
  }

  private async look(message: StoredMessage): Promise<void> {
    const at = parseSubject(message.subject);
    const ofCase = at !== undefined && (await this.isOfCase(at));
    const { runId, fact, looked } = ofCase ? await this.lookAtCase(message) : await this.lookAtRun(message);
    if (looked.kind !== 'EXPIRED') return;
    // A request that is not there although its result is: expired, or not yet visible to a follower. Nothing is written.
    this.logger.warn('trigger without its run', { runId, fact });
  }

  private async lookAtRun(
    message: StoredMessage,
  ): Promise<{ runId: RunId; fact: string; looked: Reconciled }> {
    const trigger = triggerOf(message, this.log.partitions);
    const looked = await this.runs.reconcile(trigger.runId, trigger, message.envelope);
    return { runId: trigger.runId, fact: trigger.fact, looked };
  }

  private async lookAtCase(
    message: StoredMessage,
  ): Promise<{ runId: RunId; fact: string; looked: Reconciled }> {
    const trigger = caseTriggerOf(message, this.log.partitions, { prompts: PROMPTS });
    const looked = await this.cases.reconcile(trigger.runId, trigger, message.envelope);
    return { runId: trigger.runId, fact: trigger.fact, looked };
  }

  /** Of a cancellation alone the subject does not tell: the log knows which of the two was asked for. */
  private async isOfCase(at: ParsedSubject): Promise<boolean> {
    const told = isOfCase(at);
    if (told !== 'UNKNOWN') return told;
    if (this.runs.knows(at.runId)) return false;
    if (this.cases.knows(at.runId)) return true;
    const opened = runSubjects(at.runId, this.log.partitions).in('open');
    return (await this.log.readLast(opened, 'leader')) !== undefined;
  }
}

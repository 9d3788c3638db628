import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import type { ServiceAnnounced } from '@inquest/contracts/platform-facts';
import type { EventLog } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import type { Logger } from '@inquest/service-shell/logger';
import type { Judge } from '../judge/judge';
import type { Canary } from './canaries';
import {
  CANARY_RECORD_TYPE,
  CanaryRecord,
  UNREACHABLE_FOR_MS,
  VALID_FOR_MS,
  canarySubject,
} from './canary-record';

export type JudgeHealthOptions = {
  log: EventLog;
  judge: Judge;
  canaries: readonly Canary[];
  /** Of (endpoint, model, prompt, canaries). */
  hash: string;
  model: string;
  holder: string;
  logger: Logger;
  timeoutMs?: number;
};

type Known = { record: CanaryRecord; seq: number; untilMs: number };

const CANARY_TIMEOUT_MS = 60_000;
/** How long a start waits for a healthy judge, so that the first announcement can already tell. */
const START_WAIT_MS = 2_500;
/** A judge that passed stays trusted while its next canaries run. */
const GRACE_MS = 120_000;
const LOOK_EVERY_MS = 500;
const BACKOFF_MAX_MS = 30_000;

/** Nothing came back that could be right or wrong: no statement about the judge, but no judge either. */
const UNREACHED: ReadonlySet<string> = new Set([
  'TRANSPORT',
  'TIMEOUT',
  'RATE_LIMITED',
  'SERVER_ERROR',
  'ABORTED',
]);

/** Whether the judge may judge: its canaries pass, by a record that all processes share. Unknown is unhealthy. */
export class JudgeHealth implements OnApplicationBootstrap, OnModuleDestroy {
  private known: Known | undefined;
  private trustedUntilMs = 0;
  private checking: Promise<void> | undefined;
  private readonly stop = new AbortController();

  constructor(private readonly options: JudgeHealthOptions) {}

  async onApplicationBootstrap(): Promise<void> {
    void this.keepKnown();
    const until = performance.now() + START_WAIT_MS;
    while (!this.isTrusted() && !this.hasFailed() && performance.now() < until) await pause(20);
  }

  onModuleDestroy(): void {
    this.stop.abort();
  }

  /** Waits for a first answer as long as the work may wait. */
  async isHealthy(signal: AbortSignal): Promise<boolean> {
    if (!this.isTrusted() && !this.isKnown()) {
      const given = new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      await Promise.race([this.settled(), given]);
    }
    return this.isTrusted();
  }

  announcement(): NonNullable<ServiceAnnounced['judge']> {
    const { record } = this.known ?? {};
    const healthy = this.isTrusted();
    const checkedAt = record && record.state !== 'CHECKING' ? record.checkedAt : null;
    return {
      healthy,
      model: this.options.model,
      checkedAt,
      why: healthy ? null : (record?.why ?? 'canaries have not been run'),
    };
  }

  private isTrusted(): boolean {
    return Date.now() < this.trustedUntilMs;
  }

  /** The judge answered its canaries, and wrongly; an endpoint that does not answer may only be starting. */
  private hasFailed(): boolean {
    const { record } = this.known ?? {};
    return record?.state === 'UNHEALTHY' && record.validForMs > UNREACHABLE_FOR_MS;
  }

  /** There is an answer that still holds, be it good or bad. */
  private isKnown(): boolean {
    return (
      this.known !== undefined && this.known.record.state !== 'CHECKING' && Date.now() < this.known.untilMs
    );
  }

  private learn(record: CanaryRecord, seq: number, storedAtMs: number): void {
    this.known = { record, seq, untilMs: storedAtMs + record.validForMs };
    if (record.state === 'HEALTHY') this.trustedUntilMs = this.known.untilMs + GRACE_MS;
    if (record.state === 'UNHEALTHY') this.trustedUntilMs = 0;
  }

  private settled(): Promise<void> {
    this.checking ??= this.settle().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async keepKnown(): Promise<void> {
    for (let backoffMs = LOOK_EVERY_MS; !this.stop.signal.aborted;) {
      await this.settled();
      backoffMs =
        this.known?.record.state === 'HEALTHY' ? LOOK_EVERY_MS : Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      const leftMs = Math.max((this.known?.untilMs ?? 0) - Date.now(), backoffMs);
      await pause(leftMs, undefined, { signal: this.stop.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Takes a record that holds, or makes one; while another process is at it, waits for that. Never throws. */
  private async settle(): Promise<void> {
    try {
      while (!this.stop.signal.aborted) {
        await this.look();
        if (this.isKnown()) return;
        const beingChecked = this.known?.record.state === 'CHECKING' && Date.now() < this.known.untilMs;
        if (!beingChecked && (await this.check())) return;
        await pause(LOOK_EVERY_MS, undefined, { ref: false });
      }
    } catch (error) {
      this.options.logger.warn('the judge’s health is not known', { why: String(error) });
    }
  }

  private async look(): Promise<void> {
    const message = await this.options.log.readLast(canarySubject(this.options.hash), 'any');
    const record = CanaryRecord.safeParse(message?.data).data;
    if (message && record) this.learn(record, message.seq, message.storedAtMs);
  }

  /** False: another process has begun in the meantime. */
  private async check(): Promise<boolean> {
    const claim = await this.write(this.recordOf('CHECKING', null), this.known?.seq ?? 0);
    if (claim === 'TAKEN') return false;
    const verdict = await this.runCanaries();
    if (this.stop.signal.aborted) return true;
    await this.write(verdict, claim);
    const level = verdict.state === 'HEALTHY' ? 'info' : 'error';
    this.options.logger.log(level, 'canaries of the judge', {
      state: verdict.state,
      why: verdict.why,
      model: verdict.model,
    });
    return true;
  }

  private async runCanaries(): Promise<CanaryRecord> {
    const outcomes = await Promise.all(
      this.options.canaries.map(async ({ name, expected, frozen }) => {
        const judgement = await this.options.judge.judge(frozen, {
          idempotencyKey: `canary/${this.options.hash}/${name}/${Date.now()}`,
          timeoutMs: this.options.timeoutMs ?? CANARY_TIMEOUT_MS,
          signal: this.stop.signal,
        });
        if (judgement.kind === 'FAILED')
          return {
            why: `${name}: ${judgement.why ?? judgement.failure}`,
            unreached: UNREACHED.has(judgement.failure),
          };
        return judgement.verdict === expected
          ? undefined
          : { why: `${name}: ${judgement.verdict}`, unreached: false };
      }),
    );
    const problems = outcomes.filter((outcome) => outcome !== undefined);
    if (problems.length === 0) return this.recordOf('HEALTHY', null);
    const record = this.recordOf(
      'UNHEALTHY',
      problems
        .map(({ why }) => why)
        .join(', ')
        .slice(0, 200),
    );
    return problems.every(({ unreached }) => unreached)
      ? { ...record, validForMs: UNREACHABLE_FOR_MS }
      : record;
  }

  private recordOf(state: CanaryRecord['state'], why: string | null): CanaryRecord {
    const { model, holder } = this.options;
    return {
      state,
      model,
      why,
      checkedAt: new Date().toISOString(),
      validForMs: VALID_FOR_MS[state],
      holder,
    };
  }

  /** A log that takes no record leaves this process with its own: paid for once more, and as good. */
  private async write(record: CanaryRecord, expectedSeq: number): Promise<number | 'TAKEN'> {
    const subject = canarySubject(this.options.hash);
    const frame = {
      subject,
      type: CANARY_RECORD_TYPE,
      source: 'semantic-guard',
      time: record.checkedAt,
      chainIndex: expectedSeq,
    };
    try {
      const result = await this.options.log.append(subject, messageOf(frame, record), expectedSeq);
      if (result.kind === 'CONFLICT') return 'TAKEN';
      this.learn(record, result.seq, Date.now());
      return result.seq;
    } catch (error) {
      this.options.logger.warn('the canaries’ record was not taken', { why: String(error) });
      this.learn(record, expectedSeq, Date.now());
      return expectedSeq;
    }
  }
}

import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import type { ServiceAnnounced } from '@inquest/contracts/platform-facts';
import { announcementSubject } from '@inquest/contracts/subjects';
import { messageOf } from '@inquest/event-log/message';
import { publishLatest } from '@inquest/event-log/publish-latest';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from './logger';
import type { ServiceIdentity } from './injection-keys';

export const ANNOUNCE_EVERY_MS = 10_000;
/** How soon a change, such as a judge that fails its canaries, is told between the beats. */
const LOOK_EVERY_MS = 250;

/** What a guard adds to its announcement: its rule set, its judge's health. */
export type AnnouncedExtra = Pick<ServiceAnnounced, 'ruleSet' | 'judge'>;

/** Says every 10 s, and when it changes, that this instance is alive; what stops saying so is forgotten after 30 s. */
export class Announcer {
  private timer: NodeJS.Timeout | undefined;
  private saidAtMs = 0;
  private said = '';

  constructor(
    private readonly nc: NatsConnection,
    private readonly identity: ServiceIdentity & { version: string },
    private readonly logger: Logger,
    private readonly extra: () => AnnouncedExtra,
  ) {}

  async start(): Promise<void> {
    await this.announce();
    this.timer = setInterval(() => {
      const isDue = performance.now() - this.saidAtMs >= ANNOUNCE_EVERY_MS;
      if (isDue || JSON.stringify(this.extra()) !== this.said) void this.announce();
    }, LOOK_EVERY_MS);
  }

  private async announce(last: Pick<ServiceAnnounced, 'leaving'> = {}): Promise<void> {
    const { service, instance, startedAt, version } = this.identity;
    const subject = announcementSubject(service, instance);
    const at = new Date().toISOString();
    const extra = this.extra();
    this.saidAtMs = performance.now();
    this.said = JSON.stringify(extra);
    const data = {
      service,
      instance,
      contractVersion: CONTRACT_VERSION,
      version,
      startedAt,
      at,
      ...extra,
      ...last,
    };
    try {
      await publishLatest(
        this.nc,
        subject,
        messageOf({ subject, type: 'inquest.svc.v1', source: service, time: at }, data),
      );
    } catch (error) {
      this.logger.warn('announcement was not taken', { why: String(error) });
    }
  }

  /** Says that this instance is not to be counted on any more; the first thing that it does when it ends. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.announce({ leaving: true });
  }
}

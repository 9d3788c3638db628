import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import type { ServiceAnnounced } from '@inquest/contracts/platform-facts';
import { announcementSubject } from '@inquest/contracts/subjects';
import { messageOf } from '@inquest/event-log/message';
import { publishLatest } from '@inquest/event-log/publish-latest';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from './logger';
import type { ServiceIdentity } from './tokens';

export const ANNOUNCE_EVERY_MS = 10_000;

/** What a guard adds to its announcement: its rule set, its judge's health. */
export type AnnouncedExtra = Pick<ServiceAnnounced, 'ruleSet' | 'judge'>;

/** Says every 10 s that this instance is alive; what stops saying so is forgotten after 30 s. */
export class Announcer {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly nc: NatsConnection,
    private readonly identity: ServiceIdentity & { version: string },
    private readonly logger: Logger,
    private readonly extra: () => AnnouncedExtra,
  ) {}

  async start(): Promise<void> {
    await this.announce();
    this.timer = setInterval(() => void this.announce(), ANNOUNCE_EVERY_MS);
  }

  /** Also between the beats, when something has changed that others should know at once. */
  async announce(): Promise<void> {
    const { service, instance, startedAt, version } = this.identity;
    const subject = announcementSubject(service, instance);
    const at = new Date().toISOString();
    const data = {
      service,
      instance,
      contractVersion: CONTRACT_VERSION,
      version,
      startedAt,
      at,
      ...this.extra(),
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

  stop(): void {
    clearInterval(this.timer);
  }
}

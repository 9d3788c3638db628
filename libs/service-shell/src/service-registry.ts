import { serviceAnnounced, type ServiceAnnounced } from '@inquest/contracts/platform-facts';
import { SERVICES_STREAM } from '@inquest/contracts/subjects';
import { directGet } from '@inquest/event-log/js-api';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';

/** An instance that has not spoken for three beats is gone. */
export const FORGOTTEN_AFTER_MS = 30_000;
/** More instances than this are not looked for at start; each announces itself again within 10 s. */
const KNOWN_AT_START_MAX = 200;

/** Which services are up, from their announcements: for the gate, for readiness, for the doctor. */
export class ServiceRegistry {
  private readonly seen = new Map<string, { announced: ServiceAnnounced; heardAtMs: number }>();
  private readonly sub: Subscription;

  private constructor(
    nc: NatsConnection,
    private readonly nowMs: () => number,
  ) {
    this.sub = nc.subscribe('svc.>', {
      callback: (error, msg) => {
        if (!error) this.hear(msg.subject, msg.data, this.nowMs());
      },
    });
  }

  /** Knows at once who has announced itself in the last 30 s. */
  static async open(nc: NatsConnection, nowMs: () => number = Date.now): Promise<ServiceRegistry> {
    const registry = new ServiceRegistry(nc, nowMs);
    for (let seq = 1, known = 0; known < KNOWN_AT_START_MAX; known++) {
      const found = await directGet(nc, SERVICES_STREAM, { seq, next_by_subj: 'svc.*.*' });
      if (!found) break;
      registry.hear(found.subject, found.data, found.storedAtMs);
      seq = found.seq + 1;
    }
    return registry;
  }

  /** The newest words of the living instances. */
  alive(service?: ServiceAnnounced['service']): ServiceAnnounced[] {
    const limit = this.nowMs() - FORGOTTEN_AFTER_MS;
    for (const [subject, { heardAtMs }] of this.seen) if (heardAtMs < limit) this.seen.delete(subject);
    return [...this.seen.values()]
      .map(({ announced }) => announced)
      .filter((announced) => service === undefined || announced.service === service);
  }

  close(): void {
    this.sub.unsubscribe();
  }

  private hear(subject: string, bytes: Uint8Array, heardAtMs: number): void {
    const announced = serviceAnnounced.schema.safeParse(parse(bytes));
    // A service may publish below its own name only, so the subject says who speaks.
    if (!announced.success || !subject.startsWith(`svc.${announced.data.service}.`)) return;
    if ((this.seen.get(subject)?.heardAtMs ?? 0) > heardAtMs) return;
    if (announced.data.leaving) this.seen.delete(subject);
    else this.seen.set(subject, { announced: announced.data, heardAtMs });
  }
}

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
};

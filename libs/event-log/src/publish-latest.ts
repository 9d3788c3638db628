import type { NatsConnection } from '@nats-io/transport-node';
import { EventLogUnavailable, type NewMessage } from './event-log';
import { ask, answerOf } from './js-api';
import { headersOf } from './message-headers';

/** Publishes without a condition, for subjects of which only the newest message counts (announcements). Facts never go this way. */
export const publishLatest = async (
  nc: NatsConnection,
  subject: string,
  message: NewMessage,
): Promise<number> => {
  try {
    const answer = await ask(nc, subject, JSON.stringify(message.data), {
      headers: headersOf(message.envelope),
    });
    return answerOf<{ seq: number }>('publishLatest', answer).seq;
  } catch (error) {
    throw new EventLogUnavailable('publishLatest', error);
  }
};

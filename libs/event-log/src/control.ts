import type { AppendResult, EventLog, NewMessage, StoredMessage } from './event-log';

/**
 * Durable control facts (`ctl.<name>`): each is a small chain whose last message holds. Read from the leader, since a
 * gate that opens on a stale answer is no gate.
 */
export const readControl = (log: EventLog, subject: string): Promise<StoredMessage | undefined> =>
  log.readLast(subject, 'leader');

/** Replaces what the writer has read: `expectedLastSeq` is 0 when it read nothing. CONFLICT: somebody else decided. */
export const writeControl = (
  log: EventLog,
  subject: string,
  message: NewMessage,
  expectedLastSeq: number,
): Promise<AppendResult> => log.append(subject, message, expectedLastSeq);

import type { FactContract } from '@inquest/contracts/define-fact';
import type { NewMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import type { z } from 'zod';

export const SERVICE = 'chat-gateway';

/** A fact of this gateway, checked against its contract before it can be written. */
export const gatewayFact = <Schema extends z.ZodType>(
  contract: FactContract<Schema>,
  subject: string,
  data: z.input<Schema>,
  more: { principal?: string; causationId?: string } = {},
): NewMessage =>
  messageOf(
    { subject, type: contract.type, source: SERVICE, time: new Date().toISOString(), ...more },
    contract.schema.parse(data),
  );

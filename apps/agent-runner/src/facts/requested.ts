import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { Poison } from '@inquest/event-log/work';

/** A message's data under its contract. What breaks it can never be worked on: {@link Poison}. */
export const dataUnder = <Contract extends FactContract>(
  contract: Contract,
  message: StoredMessage,
): DataOf<Contract> => {
  const parsed = contract.schema.safeParse(message.data);
  if (!parsed.success) throw new Poison(`${message.subject} breaks ${contract.type}`, parsed.error);
  return parsed.data as DataOf<Contract>;
};

/** The tenant in `<tenant>/<subject>`; facts without a principal are the system's own. */
export const tenantOf = (message: StoredMessage): string =>
  message.envelope.principal?.split('/')[0] || 'default';

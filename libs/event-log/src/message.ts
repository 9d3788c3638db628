import { CONTRACT_VERSION, type Envelope } from '@inquest/contracts/envelope';
import type { NewMessage } from './event-log';

/** What a writer says about a fact; the rest of the envelope follows from the subject. */
export type FactFrame = {
  subject: string;
  /** e.g. `inquest.res.tool.v1` */
  type: string;
  /** The service that writes. */
  source: string;
  /** ISO instant of the writer's clock. */
  time: string;
  /** Position in the run's chain; write-once facts have none. */
  chainIndex?: number;
} & Pick<Envelope, 'causationId' | 'deadline' | 'principal' | 'traceparent'>;

/** Makes a fact's message; its id is derived from its subject, so that the same fact has the same id for ever. */
export const messageOf = ({ subject, chainIndex, ...frame }: FactFrame, data: unknown): NewMessage => ({
  envelope: {
    ...frame,
    id: chainIndex === undefined ? subject : `${subject}#${chainIndex}`,
    contractVersion: CONTRACT_VERSION,
  },
  data,
});

/** What a message passes on to the facts it leads to: cause, principal and trace. */
export const causedBy = (
  envelope: Envelope,
): Pick<Envelope, 'causationId' | 'principal' | 'traceparent'> => ({
  causationId: envelope.id,
  principal: envelope.principal,
  traceparent: envelope.traceparent,
});

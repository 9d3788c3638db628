/** What the shell provides for injection; the types are the ports of libs/event-log. */

/** EventLog */
export const EVENT_LOG = Symbol('EVENT_LOG');
/** PayloadStore */
export const PAYLOAD_STORE = Symbol('PAYLOAD_STORE');
/** NatsConnection: for stream tails and announcements; facts go through EVENT_LOG. */
export const NATS_CONNECTION = Symbol('NATS_CONNECTION');
/** RunInterrupts */
export const RUN_INTERRUPTS = Symbol('RUN_INTERRUPTS');
/** The validated configuration that was given to runService. */
export const SERVICE_CONFIG = Symbol('SERVICE_CONFIG');
/** Logger of libs/service-shell, bound to service and instance. */
export const SHELL_LOGGER = Symbol('SHELL_LOGGER');
/** {@link ServiceIdentity} */
export const SERVICE_IDENTITY = Symbol('SERVICE_IDENTITY');

export type ServiceIdentity = {
  service: string;
  /** Unique among the running instances of the service. */
  instance: string;
  /** ISO instant */
  startedAt: string;
};

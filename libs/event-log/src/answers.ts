import {
  NoRespondersError,
  PermissionViolationError,
  TimeoutError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Payload,
} from '@nats-io/transport-node';
import { newInbox } from './inbox';
import { onReconnect } from './reconnects';

/** The connection was lost and is back: what was asked before may or may not have arrived. */
export class AnswerLost extends Error {
  constructor(why = 'the connection was lost before the answer came') {
    super(why);
    this.name = 'AnswerLost';
  }
}

type Question = {
  subject: string;
  expiresAt: number;
  resolve: (msg: Msg) => void;
  reject: (error: Error) => void;
};

const SWEEP_MS = 100;

/**
 * The questions of one connection that wait for their answer. The client's own requests cost an error with its stack, a
 * timer and three promises each, which made up an eighth of a busy service's time; here a question costs a map entry.
 */
class Answers {
  private readonly questions = new Map<string, Question>();
  private readonly inbox: string;
  private serial = 0;
  private sweeper: NodeJS.Timeout | undefined;

  constructor(private readonly nc: NatsConnection) {
    this.inbox = newInbox(nc);
    nc.subscribe(`${this.inbox}.*`, {
      callback: (error, msg) => (error ? this.rejectAll(error) : this.take(msg)),
    });
    onReconnect(nc, () => this.rejectAll(new AnswerLost()));
    void nc.closed().then(() => this.rejectAll(new AnswerLost('the connection was closed')));
    void this.hearRefusals();
  }

  ask(
    subject: string,
    body: Payload | undefined,
    headers: MsgHdrs | undefined,
    timeoutMs: number,
  ): Promise<Msg> {
    const token = (this.serial += 1).toString(36);
    return new Promise<Msg>((resolve, reject) => {
      this.questions.set(token, { subject, expiresAt: performance.now() + timeoutMs, resolve, reject });
      try {
        this.nc.publish(subject, body, { reply: `${this.inbox}.${token}`, headers });
      } catch (error) {
        this.questions.delete(token);
        return reject(error as Error);
      }
      this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS);
    });
  }

  private take(msg: Msg): void {
    const token = msg.subject.slice(this.inbox.length + 1);
    const question = this.questions.get(token);
    if (question === undefined) return;
    this.questions.delete(token);
    if (msg.data.length === 0 && msg.headers?.code === 503)
      return question.reject(new NoRespondersError(question.subject));
    question.resolve(msg);
  }

  /** The broker tells of a forbidden subject, not of the message. */
  private async hearRefusals(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      if (operation !== 'publish') continue;
      for (const [token, question] of this.questions) {
        if (question.subject !== subject) continue;
        this.questions.delete(token);
        question.reject(status.error);
      }
    }
  }

  private sweep(): void {
    const now = performance.now();
    for (const [token, question] of this.questions) {
      if (question.expiresAt > now) continue;
      this.questions.delete(token);
      question.reject(new TimeoutError());
    }
    if (this.questions.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }

  private rejectAll(error: Error): void {
    const open = [...this.questions.values()];
    this.questions.clear();
    for (const { reject } of open) reject(error);
  }
}

const known = new WeakMap<NatsConnection, Answers>();

/**
 * One request. Rejects with the client's `TimeoutError`, `NoRespondersError` or `PermissionViolationError`, and with
 * {@link AnswerLost} as soon as there is a new connection, instead of at the time-out.
 */
export const askOnce = (
  nc: NatsConnection,
  subject: string,
  body: Payload | undefined,
  headers: MsgHdrs | undefined,
  timeoutMs: number,
): Promise<Msg> => {
  let answers = known.get(nc);
  if (answers === undefined) known.set(nc, (answers = new Answers(nc)));
  return answers.ask(subject, body, headers, timeoutMs);
};

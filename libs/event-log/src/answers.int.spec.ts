import { NoRespondersError, TimeoutError, type NatsConnection } from '@nats-io/transport-node';
import { startGuardedNats } from '@inquest/testing/guarded-nats';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { AnswerLost, askOnce } from './answers';
import { connectNats } from './connection';

describe('Questions and their answers over one connection', () => {
  let nats: TestNats;
  let nc: NatsConnection;

  beforeEach(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'worker' });
  });
  afterEach(async () => {
    await nc.close();
    await nats.stop();
  });

  const ask = (subject: string, timeoutMs = 5_000) => askOnce(nc, subject, undefined, undefined, timeoutMs);
  /** Somebody hears the question and says nothing. */
  const silent = async (): Promise<string> => {
    nc.subscribe('silent', { callback: () => undefined });
    await nc.flush();
    return 'silent';
  };

  it('gives each question its own answer, in whatever order they come', async () => {
    const held: (() => void)[] = [];
    nc.subscribe('echo.*', {
      callback: (_, msg) => {
        held.push(() => msg.respond(msg.subject));
        if (held.length === 3) for (const answer of held.reverse()) answer();
      },
    });
    const answers = await Promise.all(['echo.a', 'echo.b', 'echo.c'].map((subject) => ask(subject)));
    expect(answers.map((msg) => msg.string())).toEqual(['echo.a', 'echo.b', 'echo.c']);
  });

  it('says at once that nobody answers there', async () => {
    await expect(ask('nobody.here')).rejects.toBeInstanceOf(NoRespondersError);
  });

  it('waits no longer than it was told', async () => {
    await expect(ask(await silent(), 50)).rejects.toBeInstanceOf(TimeoutError);
  });

  it('takes a lost or a closed connection for a lost answer', async () => {
    const [lost] = await Promise.allSettled([ask(await silent(), 30_000), nats.restart()]);
    expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(AnswerLost) });
    const closed = ask('silent', 30_000);
    await Promise.allSettled([closed, nc.close()]);
    await expect(closed).rejects.toBeInstanceOf(AnswerLost);
  });

  it('says at once that a subject is forbidden', async () => {
    const guarded = await startGuardedNats();
    const guard = await connectNats({ url: guarded.urlFor('evidence-guard'), service: 'evidence-guard' });
    const refused = askOnce(guard, '$JS.API.STREAM.DELETE.DIAG_0', undefined, undefined, 30_000);
    await expect(refused).rejects.toMatchObject({ name: 'PermissionViolationError' });
    await guard.close();
    await guarded.stop();
  });
});

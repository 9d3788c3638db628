import type { NatsConnection } from '@nats-io/transport-node';
import { connectNats } from '@inquest/event-log/connection';
import { RunId } from '@inquest/contracts/ids';
import { entryCancelSubject, entryRequestSubject } from '@inquest/contracts/subjects';
import { waitFor } from '@inquest/testing/wait-for';
import { z } from 'zod';
import { PUBLISHER, SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// The bus entry from both of its sides, over the whole system: a platform gateway is plain client code that knows the
// subjects and the three answers, and nothing of envelopes. apps/chat-gateway/test/entry.int.spec.ts has the refusals.

/** The answers as a platform gateway reads them. */
const Answer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ACCEPTED'), runId: z.string() }),
  z.object({
    kind: z.literal('REFUSED'),
    problem: z.object({ type: z.string(), title: z.string(), status: z.number() }),
  }),
  z.object({
    kind: z.literal('ENDED'),
    runId: z.string(),
    outcome: z.enum(['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED']),
  }),
]);
type Answer = z.infer<typeof Answer>;

describe('the bus entry', () => {
  let system: SystemInProcess;
  let portal: NatsConnection;
  const heard = new Map<string, Answer[]>();

  beforeAll(async () => {
    system = await SystemInProcess.start();
    const user = `publisher-${PUBLISHER}` as const;
    portal = await connectNats({ url: system.urlFor(user), service: user });
    portal.subscribe(`entry-answer.${PUBLISHER}.*`, {
      callback: (_, message) => {
        const key = message.subject.split('.')[2] ?? '';
        heard.set(key, [...(heard.get(key) ?? []), Answer.parse(message.json())]);
      },
    });
    await portal.flush();
  });
  afterAll(async () => {
    await portal?.close();
    await system?.stop();
  });

  const ask = (key: string, body: unknown) =>
    portal.request(entryRequestSubject(PUBLISHER, key), JSON.stringify(body), { timeout: 5_000 });
  const answers = (key: string, count: number) =>
    waitFor(`${count} answers for ${key}`, () => {
      const all = heard.get(key) ?? [];
      return all.length >= count ? all : undefined;
    });

  describe('platform-gateway <- chat-gateway', () => {
    it.each([
      ['a released report', 'good', {}, 'SUCCESS'],
      ['a fallback', 'bad', { badDrafts: 2 }, 'FALLBACK'],
      ['a failure', 'unrouted', { router: ['INVALID'] }, 'FAILED'],
    ] as const)('is told that it was accepted, and of the end: %s', async (_, key, knobs, outcome) => {
      system.play({ ...knobs, router: 'router' in knobs ? [...knobs.router] : undefined });
      await ask(key, { question: 'Why is checkout failing?', source: 'checkout-pool-exhaustion' });
      const [accepted, ended] = await answers(key, 2);
      expect(accepted).toEqual({
        kind: 'ACCEPTED',
        runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      });
      expect(ended).toEqual({
        kind: 'ENDED',
        runId: accepted?.kind === 'ACCEPTED' && accepted.runId,
        outcome,
      });
    });

    it('is told of a cancellation that it asked for', async () => {
      system.play({ router: ['HANG'] });
      await ask('stopped', { question: 'Why is checkout failing?' });
      await answers('stopped', 1);
      await portal.request(entryCancelSubject(PUBLISHER, 'stopped'), '{}', { timeout: 5_000 });
      const ended = await waitFor('the end', () =>
        heard.get('stopped')?.find(({ kind }) => kind === 'ENDED'),
      );
      expect(ended).toMatchObject({ outcome: 'CANCELLED' });
    });

    it('is told why a question is refused, in the words of a problem', async () => {
      await ask('refused', { question: ' ' });
      expect(await answers('refused', 1)).toMatchObject([{ kind: 'REFUSED', problem: { status: 400 } }]);
    });
  });

  describe('chat-gateway <- platform-gateway', () => {
    it('a body without an envelope makes a run of the publisher’s tenant, which the others can work on', async () => {
      system.play({});
      await ask('plain', { question: 'Why is checkout failing?', source: 'checkout-pool-exhaustion' });
      const [accepted] = await answers('plain', 1);
      const runId = RunId.parse(accepted?.kind === 'ACCEPTED' ? accepted.runId : '');
      const request = await system.message(system.subjects(runId).in('request'));
      expect(request.data).toMatchObject({
        tenant: 'acme',
        principal: `acme/${PUBLISHER}`,
        entry: { publisher: PUBLISHER, key: 'plain' },
      });
      expect(request.envelope.source).toBe('chat-gateway');
      await system.ended(runId);
    });
  });
});

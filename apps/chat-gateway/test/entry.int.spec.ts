import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { entryAnswer, type EntryAnswer } from '@inquest/contracts/platform-facts';
import { runRequested } from '@inquest/contracts/inbound-facts';
import {
  DLQ_STREAM,
  entryCancelSubject,
  entryRequestSubject,
  runSubjects,
} from '@inquest/contracts/subjects';
import { readStreamState } from '@inquest/event-log/stream-state';
import type { EventLog } from '@inquest/event-log/event-log';
import { headersOf } from '@inquest/event-log/message-headers';
import { messageOf } from '@inquest/event-log/message';
import { publishLatest } from '@inquest/event-log/publish-latest';
import { waitFor } from '@inquest/testing/wait-for';
import { runIdForEntry } from '../src/runs/run-id';
import { cancelledRun, ChainWriter, fellBack, sealedRun, started } from './a-run';
import { PUBLISHER, World } from './harness';

const QUESTION = { question: 'Why is checkout slow? api_key=0123456789abcdef0123456789abcdef' };

describe('The bus entry', () => {
  let world: World;
  let portal: NatsConnection;
  let log: EventLog;
  const answers = new Map<string, EntryAnswer[]>();

  beforeAll(async () => {
    world = await World.start();
    await world.openGateway();
    log = await world.log('harness-orchestrator');
    portal = await world.connectPublisher();
    portal.subscribe(`entry-answer.${PUBLISHER}.*`, {
      callback: (_, msg) => {
        const key = msg.subject.split('.')[2] ?? '';
        answers.set(key, [...(answers.get(key) ?? []), entryAnswer.schema.parse(msg.json())]);
      },
    });
    await portal.flush();
  });
  afterAll(() => world.stop());

  const publish = (subject: string, type: string, data: unknown): Promise<number> =>
    publishLatest(
      portal,
      subject,
      messageOf({ subject, type, source: PUBLISHER, time: new Date().toISOString() }, data),
    );
  const request = (key: string, data: unknown = QUESTION) =>
    publish(entryRequestSubject(PUBLISHER, key), 'inquest.entry.request.v1', data);
  const cancel = (key: string) => publish(entryCancelSubject(PUBLISHER, key), 'inquest.entry.cancel.v1', {});
  const answered = (key: string, count: number) =>
    waitFor(`${count} answers for ${key}`, () =>
      (answers.get(key)?.length ?? 0) >= count ? answers.get(key) : undefined,
    );
  const runOf = (key: string) => runIdForEntry('acme', PUBLISHER, key);

  it('makes a run of a request, under the tenant of its publisher and without its secrets', async () => {
    await request('k-1');
    expect(await answered('k-1', 1)).toEqual([{ kind: 'ACCEPTED', runId: runOf('k-1') }]);
    const fact = await log.readLast(runSubjects(runOf('k-1'), log.partitions).in('request'), 'leader');
    const data = runRequested.schema.parse(fact?.data);
    expect(data).toMatchObject({
      tenant: 'acme',
      principal: 'acme/portal',
      entry: { publisher: PUBLISHER, key: 'k-1' },
    });
    expect(data.question).not.toContain('0123456789abcdef');
  });

  it('tells how the run has ended', async () => {
    await request('k-2');
    await answered('k-2', 1);
    await new ChainWriter(log, runOf('k-2')).decide(started(runOf('k-2')), fellBack);
    expect((await answered('k-2', 2))[1]).toEqual({
      kind: 'ENDED',
      runId: runOf('k-2'),
      outcome: 'FALLBACK',
    });
  });

  it('makes no second run of a repeated request, and tells again', async () => {
    await request('k-3');
    await answered('k-3', 1);
    await new ChainWriter(log, runOf('k-3')).decide(started(runOf('k-3')), fellBack);
    await answered('k-3', 2);
    await request('k-3');
    expect((await answered('k-3', 4)).slice(2)).toEqual([
      { kind: 'ACCEPTED', runId: runOf('k-3') },
      { kind: 'ENDED', runId: runOf('k-3'), outcome: 'FALLBACK' },
    ]);
  });

  it.each([
    ['another question under the same key', 'k-4', { question: 'Why not?' }, 'key-reused'],
    ['a body that does not fit', 'k-5', { question: 'Why?', cause: 'the pool' }, 'bad-request'],
    ['an empty question', 'k-6', { question: ' ' }, 'bad-request'],
    ['a source that is not configured', 'k-7', { ...QUESTION, source: 'elsewhere' }, 'unknown-source'],
    ['a tenant that is not the publisher’s', 'k-8', { ...QUESTION, tenant: 'globex' }, 'forbidden'],
    ['something that is no object', 'k-9', 'why', 'bad-request'],
  ])('refuses %s', async (_, key, data, kind) => {
    const before = key === 'k-4' ? 1 : 0;
    if (before > 0) {
      await request(key);
      await answered(key, before);
    }
    await request(key, data);
    const refusal = (await answered(key, before + 1))[before];
    expect(refusal).toMatchObject({ kind: 'REFUSED', problem: { type: `urn:inquest:problem:${kind}` } });
  });

  it('H8 cancels what was asked under the key', async () => {
    await request('k-10');
    await cancel('k-10');
    await answered('k-10', 2);
    const fact = await log.readLast(runSubjects(runOf('k-10'), log.partitions).in('cancel'), 'leader');
    expect(fact?.data).toMatchObject({ cause: 'PERSON', principal: 'acme/portal' });
    await new ChainWriter(log, runOf('k-10')).decide(started(runOf('k-10')), cancelledRun);
    expect((await answered('k-10', 3))[2]).toMatchObject({ kind: 'ENDED', outcome: 'CANCELLED' });
  });

  it('H8 refuses to cancel what is sealed, and what was never asked', async () => {
    await request('k-11');
    await answered('k-11', 1);
    await new ChainWriter(log, runOf('k-11')).decide(started(runOf('k-11')), sealedRun(runOf('k-11')));
    await cancel('k-11');
    expect((await answered('k-11', 2))[1]).toMatchObject({
      problem: { type: 'urn:inquest:problem:already-decided' },
    });
    await cancel('k-12');
    expect((await answered('k-12', 1))[0]).toMatchObject({
      problem: { type: 'urn:inquest:problem:not-found' },
    });
  });

  it('takes a request of a client that knows nothing of envelopes', async () => {
    await portal.request(entryRequestSubject(PUBLISHER, 'k-13'), JSON.stringify({ question: 'Why?' }));
    await answered('k-13', 1);
    await portal.request(entryCancelSubject(PUBLISHER, 'k-13'), '{}');
    expect(await answered('k-13', 2)).toMatchObject([{ kind: 'ACCEPTED' }, { kind: 'ACCEPTED' }]);
  });

  it('sets aside what is no JSON, and goes on', async () => {
    await portal.request(entryRequestSubject(PUBLISHER, 'k-14'), '{"question":');
    await request('k-16');
    await answered('k-16', 1);
    expect(answers.get('k-14')).toBeUndefined();
  });

  it('puts what is no entry at all into the dead letters at once', async () => {
    const operator = await world.connect('operator');
    const before = (await readStreamState(operator, DLQ_STREAM)).messages;
    await portal.request(entryRequestSubject(PUBLISHER, 'A-KEY'), JSON.stringify(QUESTION));
    await waitFor(
      'the dead letter',
      async () => (await readStreamState(operator, DLQ_STREAM)).messages > before || undefined,
    );
  });

  it('answers with an envelope as every message has one', async () => {
    const received = new Promise<string>((resolve) => {
      portal.subscribe(`entry-answer.${PUBLISHER}.k-15`, {
        max: 1,
        callback: (_, msg) => resolve(msg.headers?.get('ce-type') ?? ''),
      });
    });
    await portal.flush();
    const subject = entryRequestSubject(PUBLISHER, 'k-15');
    const { envelope, data } = messageOf(
      { subject, type: 'inquest.entry.request.v1', source: PUBLISHER, time: new Date().toISOString() },
      QUESTION,
    );
    portal.publish(subject, JSON.stringify(data), { headers: headersOf(envelope) });
    expect(await received).toBe('inquest.entry.answer.v1');
  });

  it('answers the documented example, which is plain client code', async () => {
    const script = join(__dirname, '../../../docs/examples/platform-gateway.mjs');
    const env = { PATH: process.env.PATH, NATS_URL: world.publisherUrl, PUBLISHER };
    const child = spawn(process.execPath, [script, 'Why is checkout slow?', 'k-example'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = once(child, 'exit');
    await answered('k-example', 1);
    const runId = runOf('k-example');
    await new ChainWriter(log, runId).decide(started(runId), fellBack);
    expect(await exit).toEqual([0, null]);
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => entryAnswer.schema.parse(JSON.parse(line))),
    ).toEqual([
      { kind: 'ACCEPTED', runId },
      { kind: 'ENDED', runId, outcome: 'FALLBACK' },
    ]);
  });
});

import type { RunId } from '@inquest/contracts/ids';
import { runSubjects } from '@inquest/contracts/subjects';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { connectNats } from '@inquest/event-log/connection';
import { PartitionReader } from '@inquest/event-log/partition-reader';
import { foldRun } from '@inquest/run-view/fold-run';
import type { NatsConnection } from '@nats-io/transport-node';
import { eventRow, read } from '../../apps/run-projector/src/projection/projected-run';
import { releasedContent, releasedEvidence } from '../../apps/run-projector/src/projection/released-content';
import { AUTHOR, SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// run-projector reads everything that is written. Its own reader and its own readings, with its own rights on the broker,
// over what every service really wrote in two runs.

const QUESTION = 'What does the runbook say about connection pool exhaustion?';

describe('what run-projector needs', () => {
  let system: SystemInProcess;
  let nc: NatsConnection;
  const runs = {} as Record<'report' | 'answer', RunId>;
  const messages: StoredMessage[] = [];

  beforeAll(async () => {
    system = await SystemInProcess.start();
    runs.report = await system.run({ badDrafts: 1 });
    runs.answer = await system.run({ intent: 'KNOWLEDGE_QUERY' }, { question: QUESTION });
    nc = await connectNats({ url: system.urlFor('run-projector'), service: 'run-projector' });
    for (let partition = 0; partition < system.log.partitions; partition += 1) {
      const reader = await PartitionReader.open(nc, partition, 1, {
        onMalformed: (seq, error) => {
          throw new Error(`message ${seq}: ${String(error)}`);
        },
      });
      for (let batch; (batch = await reader.next(500, 200)).length > 0;) messages.push(...batch);
      reader.close();
    }
  });
  afterAll(async () => {
    await nc?.close();
    await system?.stop();
  });

  const of = (runId: RunId) => messages.filter(({ subject }) => subject.split('.')[2] === runId);
  const projected = (runId: RunId) => {
    const readings = of(runId).map((message) => ({ seq: message.seq, reading: read(message) }));
    const asked = readings.find(({ reading }) => reading?.kind === 'request')?.reading;
    if (asked?.kind !== 'request') throw new Error('the request is not readable');
    const chain = readings.flatMap(({ seq, reading }) =>
      reading?.kind === 'decision' ? [{ seq, decision: reading.decision }] : [],
    );
    return { request: asked.request, fold: foldRun(asked.request, chain) };
  };
  const content = async (runId: RunId) => {
    const found = await releasedContent(system.log, system.payloads, projected(runId).fold);
    if (!found) throw new Error('nothing was released');
    return found;
  };

  describe.each([
    ['run-projector <- chat-gateway', 'chat-gateway', /\.in\.request$/],
    ['run-projector <- harness-orchestrator', 'harness-orchestrator', /\.(run|req\.[a-z]+\.[a-z0-9-]+)$/],
    ['run-projector <- agent-runner', 'agent-runner', /\.(call|res)\.(router|agent|tool)\.[a-z0-9-]+$/],
    ['run-projector <- evidence-guard', 'evidence-guard', /\.res\.evidence\.[a-z0-9-]+$/],
    ['run-projector <- semantic-guard', 'semantic-guard', /\.(call|res)\.semantic\.[a-z0-9-]+$/],
    ['run-projector <- knowledge-rag', 'knowledge-rag', /\.res\.rag\.[a-z0-9-]+$/],
  ])('%s', (_, producer, subjects) => {
    it('messages that it can place: whose run, what kind, when, and because of what', () => {
      const written = messages.filter(({ envelope }) => envelope.source === producer);
      expect(written.length).toBeGreaterThan(0);
      for (const message of written) {
        expect(message.subject).toMatch(subjects);
        const reading = read(message);
        expect(Object.values(runs)).toContain(reading?.runId);
        const row = eventRow('DIAG_0', 'now', reading?.runId ?? '', message);
        expect(row.type).toMatch(/^inquest\.[a-z.]+\.v1$/);
        expect(row.storedAt.getTime()).toBeGreaterThan(0);
        if (producer !== 'chat-gateway') expect(row.causationId).toContain(reading?.runId);
      }
    });
  });

  describe('run-projector <- chat-gateway, the question', () => {
    it('the columns of a new row', () => {
      expect(projected(runs.answer).request).toMatchObject({
        runId: runs.answer,
        tenant: 'acme',
        principal: 'acme/ada',
        question: QUESTION,
        bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      });
    });
  });

  describe('run-projector <- harness-orchestrator, the chain', () => {
    it.each(['report', 'answer'] as const)('decisions that fold to an ending: %s', (name) => {
      const { view, release, terminalSeq } = projected(runs[name]).fold;
      expect(view).toMatchObject({ status: 'RELEASED', outcome: 'SUCCESS' });
      expect(release?.evidenceStep).toBeTruthy();
      expect(terminalSeq).toBeGreaterThan(0);
    });
  });

  describe('run-projector <- evidence-guard, the snapshot', () => {
    it.each(['report', 'answer'] as const)(
      'the released bytes under the hashes of the release: %s',
      async (name) => {
        const { part, snapshotText } = await content(runs[name]);
        expect(Object.keys(part)).toEqual([name]);
        expect(JSON.parse(snapshotText)).toMatchObject({ runId: runs[name] });
      },
    );
  });

  describe('run-projector <- agent-runner, the author and the evidence', () => {
    it('the model that wrote the released draft, and not the one that was repaired', async () => {
      expect((await content(runs.report)).author).toBe(AUTHOR);
      expect(projected(runs.report).fold.draftStep).toBe('t3-repair0-a1');
    });

    it('one record of each call, to be archived with the report', async () => {
      const entries = await releasedEvidence(system.log, runs.report, projected(runs.report).fold);
      expect(entries.map(({ tool }) => tool)).toEqual(['active_alerts', 'list_objects', 'search_logs']);
    });
  });

  describe('run-projector <- knowledge-rag, the evidence', () => {
    it('the lookup of an answer, to be archived with it', async () => {
      const entries = await releasedEvidence(system.log, runs.answer, projected(runs.answer).fold);
      expect(entries).toMatchObject([{ tool: 'knowledge_lookup' }]);
      expect(entries[0]?.documents?.length).toBeGreaterThan(0);
    });
  });

  it('finds all messages of a run in the partition of its id', () => {
    for (const runId of Object.values(runs)) {
      const { partition } = runSubjects(runId, system.log.partitions);
      for (const { subject } of of(runId))
        expect(subject.startsWith(`diag.${partition}.${runId}.`)).toBe(true);
    }
  });
});

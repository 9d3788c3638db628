import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelRequested } from '@inquest/contracts/inbound-facts';
import { runDecision } from '@inquest/contracts/run-decision';
import { DLQ_STREAM } from '@inquest/contracts/subjects';
import { ragRequested } from '@inquest/contracts/tool-facts';
import { directGet } from '@inquest/event-log/js-api';
import { parseConfig } from '@inquest/service-shell/config';
import { startService } from '@inquest/service-shell/run-service';
import { waitFor } from '@inquest/testing/wait-for';
import { knowledgeEnv } from '../src/config';
import { KnowledgeRagModule } from '../src/knowledge-rag.module';
import { KnowledgeStack, STEP } from './knowledge-stack';

const QUERY = { query: 'connection pool exhausted by idle in transaction sessions' };

describe('knowledge-rag, with the rights that it has in production', () => {
  let stack: KnowledgeStack;
  beforeAll(async () => (stack = await KnowledgeStack.start()));
  afterAll(() => stack.stop());

  it('answers a lookup with one fact that names its cause, its principal and its type', async () => {
    const message = await stack.stored(await stack.ask(stack.newRun(), QUERY));
    expect(message.data).toMatchObject({
      toolCallId: 'call_1_0',
      status: 'READY',
      evidenceStatus: 'EVIDENCE_FOUND',
    });
    expect(message.envelope).toMatchObject({
      type: 'inquest.res.rag.v1',
      source: 'knowledge-rag',
      principal: 'acme/alice',
      causationId: message.subject.replace('.res.', '.req.'),
    });
  });

  it('H5 gives exact document ids, the same for the same question in every run and process', async () => {
    const first = await stack.lookup(stack.newRun(), QUERY);
    await stack.restart(() => Promise.resolve());
    const second = await stack.lookup(stack.newRun(), QUERY);
    expect(first.documents?.[0]?.id).toMatch(/^rb-postgres-pool-exhaustion#/);
    expect(second.documents).toEqual(first.documents);
    expect(second.projection).toEqual(first.projection);
    expect(second.contentHash).toBe(first.contentHash);
  });

  it('H3 finds nothing as READY with NO_EVIDENCE, and fails as a typed result', async () => {
    const none = await stack.lookup(stack.newRun(), { query: 'How do I bake sourdough bread?' });
    expect(none).toMatchObject({
      status: 'READY',
      evidenceStatus: 'NO_EVIDENCE',
      errorClass: null,
      matched: 0,
      documents: [],
    });
    const bad = await stack.lookup(stack.newRun(), { question: 'pool' });
    expect(bad).toMatchObject({ status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'BAD_ARGUMENTS' });
  });

  it('H8 begins nothing for a run that is cancelled', async () => {
    const runId = stack.newRun();
    const cancel = { cause: 'PERSON', principal: 'acme/alice', requestedAt: new Date().toISOString() };
    await stack.put(cancelRequested, stack.subjects(runId).in('cancel'), cancel);
    expect(await stack.lookup(runId, QUERY)).toMatchObject({
      status: 'ERROR',
      errorClass: 'NOT_STARTED',
      returned: 0,
    });
  });

  it('H8 begins nothing for a run that has ended', async () => {
    const runId = stack.newRun();
    const ended = {
      type: 'RunFailed',
      reason: 'DEADLINE_EXCEEDED',
      intent: null,
      coverage: [],
      modelCalls: 0,
      toolCalls: 0,
      tokens: 0,
    };
    const decision = runDecision.schema.parse({
      n: 0,
      prevSeq: 0,
      took: [],
      at: new Date().toISOString(),
      events: [ended],
    });
    await stack.put(runDecision, stack.subjects(runId).chain, decision);
    expect(await stack.lookup(runId, QUERY)).toMatchObject({ status: 'ERROR', errorClass: 'NOT_STARTED' });
  });

  it('makes no lookup after its deadline', async () => {
    const deadlineAt = new Date(Date.now() - 1).toISOString();
    expect(await stack.lookup(stack.newRun(), QUERY, { deadlineAt })).toMatchObject({
      status: 'ERROR',
      errorClass: 'TIMEOUT',
    });
  });

  it('takes up what was asked while it was down, and leaves a result that stands as it is', async () => {
    const [open, answered] = [stack.newRun(), stack.newRun()];
    const standing = { stands: 'already' };
    let subject = '';
    await stack.restart(async () => {
      await stack.put(ragRequested, stack.subjects(answered).res('rag', STEP), standing);
      await stack.ask(answered, QUERY);
      subject = await stack.ask(open, QUERY);
    });
    expect((await stack.stored(subject)).data).toMatchObject({ evidenceStatus: 'EVIDENCE_FOUND' });
    expect((await stack.stored(stack.subjects(answered).res('rag', STEP))).data).toEqual(standing);
  });

  it('puts a request that breaks its contract aside, and answers nothing', async () => {
    const { req, res, stream } = stack.subjects(stack.newRun());
    await stack.put(ragRequested, req('rag', STEP), { tool: 'knowledge_lookup' });
    const { seq } = await stack.stored(req('rag', STEP));
    const letter = await waitFor('the dead letter', () =>
      directGet(stack.nc, DLQ_STREAM, { last_by_subj: `dlq.rag.${stream}.${seq}` }),
    );
    expect(letter.headers.get('Inquest-Dlq-Reason')).toContain('breaks inquest.req.rag.v1');
    expect(await stack.log.readLast(res('rag', STEP), 'leader')).toBeUndefined();
  });
});

describe('knowledge-rag with a broken runbook', () => {
  it('does not start, and says which file and why', async () => {
    const stack = await KnowledgeStack.start();
    const dir = mkdtempSync(join(tmpdir(), 'inquest-knowledge-'));
    try {
      writeFileSync(join(dir, 'disk.md'), '---\nid: rb-disk\ntitle: Disk\n---\n## Symptoms\nx\n');
      const env = { NATS_URL: stack.urlFor('knowledge-rag'), LOG_LEVEL: 'silent', KNOWLEDGE_DIR: dir };
      const start = startService({
        name: 'knowledge-rag',
        module: KnowledgeRagModule,
        config: parseConfig(knowledgeEnv, env),
      });
      await expect(start).rejects.toThrow(/disk\.md: tags are missing/);
    } finally {
      rmSync(dir, { recursive: true });
      await stack.stop();
    }
  });
});

import type { KnowledgeAnswer } from '@inquest/contracts/draft';
import type { Snapshot } from '@inquest/contracts/service-facts';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { answerQuestion, complete, guardedAnswer, judged } from './investigation-loop';

let analyst: Analyst;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
});
afterAll(() => analyst.stop());

describe('H5 answers to knowledge questions pass both guards', () => {
  it.each([
    'How do I recover from an exhausted database connection pool?',
    'What is the procedure for pods stuck in ImagePullBackOff?',
    'How do I find out why a pod is Pending?',
    'What should we do when a JetStream consumer falls behind?',
    'How can I resolve lock pile-ups in Postgres?',
    'Is there a runbook for a service without endpoints?',
    'What does OOMKilled mean and how do I fix it?',
    'Wie behebe ich einen erschöpften Verbindungspool der Datenbank?',
    '如何处理数据库连接池耗尽？',
  ])('%s', async (question) => {
    const routed = await complete(analyst, {
      model: 'rules-router',
      messages: [{ role: 'user', content: JSON.stringify({ kind: 'route', question }) }],
    });
    expect(routed.message.content).toBe('{"intent":"KNOWLEDGE_QUERY"}');
    const run = await answerQuestion(analyst, question);
    const answer = JSON.parse(run.draftText) as KnowledgeAnswer;
    expect(answer.items.length).toBeGreaterThan(0);
    const verdict = guardedAnswer(run);
    expect(verdict.kind === 'REJECTED' ? verdict.violations : []).toEqual([]);
    const snapshot = JSON.parse(verdict.kind === 'ACCEPTED' ? verdict.snapshotText : '{}') as Snapshot;
    const verdicts = await judged(analyst, snapshot);
    expect(verdicts.filter((one) => one.verdict !== 'SUPPORTED')).toEqual([]);
  });

  it('has no items where the runbooks know nothing', async () => {
    const run = await answerQuestion(analyst, 'How do I bake sourdough bread?');
    expect(JSON.parse(run.draftText)).toEqual({ items: [] });
    expect(guardedAnswer(run).kind).toBe('ACCEPTED');
  });
});

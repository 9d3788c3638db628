import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunView } from '@inquest/contracts/run-view';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack({ offline: true });
});
afterAll(() => the?.stop());

const incidentFile = <T>(source: string, file: string): T =>
  JSON.parse(readFileSync(join(the.stack.sources[source] ?? '', file), 'utf8')) as T;

type Truth = { faultObject: string; rootCause: string };

/** Asks what the incident's own manifest asks. */
const diagnose = (source: string): Promise<RunView> => {
  const { question } = incidentFile<{ question: string }>(source, 'incident.json');
  return the.api.askAndEnd({ source, question });
};

describe('the shipped incidents, diagnosed without any language model', () => {
  it('finds the cause of the failing checkouts, and cites it', async () => {
    const view = await diagnose('checkout-pool-exhaustion');
    expect(view).toMatchObject({ outcome: 'SUCCESS', intent: 'DIAGNOSIS', author: 'rules-diagnosis' });
    const { faultObject, rootCause } = incidentFile<Truth>('checkout-pool-exhaustion', 'truth.json');
    expect(view.report?.candidates?.[0]).toMatchObject({ rank: 1, object: faultObject, cause: rootCause });
    const conclusion = view.report?.conclusion.text.toLowerCase() ?? '';
    for (const word of ['checkout', 'connection', 'pool', 'transaction']) expect(conclusion).toContain(word);
    const cause = view.report?.analyses.find(({ kind }) => kind === 'CAUSE');
    expect(view.report?.conclusion.analysisIds).toContain(cause?.id);
    for (const id of cause?.toolCallIds ?? []) {
      expect(await the.api.evidence(view.runId, id)).toMatchObject({
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
      });
    }
  });

  it('finds no fault in a quiet evening', async () => {
    const view = await diagnose('quiet-evening');
    expect(view).toMatchObject({ outcome: 'SUCCESS', report: { conclusion: { status: 'NO_FAULT_FOUND' } } });
  });

  it('answers a knowledge question from the shipped runbooks', async () => {
    const view = await the.api.askAndEnd({ question: 'How do I fix an exhausted Postgres connection pool?' });
    expect(view).toMatchObject({ outcome: 'SUCCESS', intent: 'KNOWLEDGE_QUERY' });
    expect(view.answer?.items.flatMap(({ documentIds }) => documentIds).join()).toContain('postgres-pool');
  });

  it('leaves alone what is out of scope', async () => {
    const view = await the.api.askAndEnd({ question: 'Write me a poem about autumn.' });
    expect(view).toMatchObject({ outcome: 'SUCCESS', intent: 'OUT_OF_SCOPE' });
  });
});

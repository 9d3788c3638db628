import type { Locale } from '@inquest/contracts/outcome';
import type { RunView } from '@inquest/contracts/run-view';
import type { ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { json } from '@inquest/testing/scripted-model';
import { sharedRuns, textsOfRun, withoutConstants } from './support/leaks';
import { rowOf } from './support/read-model';
import { documentsOf, drafting, type Draft } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack();
});
afterAll(() => the?.stop());

const rejectedRules = async ({ runId }: RunView): Promise<string[][]> =>
  (await the.log.eventsOf(runId, 'EvidenceRejected')).map(({ violations }) =>
    violations.map(({ ruleId }) => ruleId),
  );

describe('H4 a draft is typed: there is no place for a chain of thought', () => {
  const thinking = (draft: Draft) => ({
    ...draft,
    reasoning: 'First I thought that the pool was too small.',
  });
  const thinkingInside = ({ analyses: [first, ...rest], ...draft }: Draft) => ({
    ...draft,
    analyses: [{ ...first, reasoning: 'First I thought that the pool was too small.' }, ...rest],
  });

  it.each([
    ['beside the conclusion', thinking],
    ['inside an analysis', thinkingInside],
  ])('a `reasoning` key %s is rejected, and released only without it', async (_, spoil) => {
    const { script, texts } = drafting((draft, n) => JSON.stringify(n === 1 ? spoil(draft) : draft));
    the.model.play(script);
    const view = await the.api.askAndEnd(SOURCE);
    expect(await rejectedRules(view)).toEqual([['1 SCHEMA']]);
    const repair = the.requestsOf(view.runId).find(({ key }) => key.includes('-repair0-'));
    expect(repair?.body.tool_choice).toBe('none');
    expect(repair && documentsOf(repair).at(-1)).toMatchObject({ kind: 'repair', draft: texts[0] });
    expect(view.report).toEqual(JSON.parse(texts[1] ?? ''));
    expect(JSON.stringify(view)).not.toContain('reasoning');
  });

  it('is never released with it', async () => {
    the.model.play(drafting((draft) => JSON.stringify(thinking(draft))).script);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view).toMatchObject({ outcome: 'FALLBACK', fallback: { type: 'EVIDENCE_VALIDATION_FAILED' } });
    expect(await the.log.eventsOf(view.runId, 'EvidenceRejected')).toHaveLength(2);
    expect(await the.log.eventsOf(view.runId, 'RunReleased')).toEqual([]);
  });

  it('prose is no draft either', async () => {
    the.model.play(drafting(() => 'The pool is exhausted, I am quite sure.').script);
    expect((await the.api.askAndEnd(SOURCE)).fallback?.type).toBe('EVIDENCE_VALIDATION_FAILED');
  });
});

describe('H5 a knowledge answer is bound to its lookup', () => {
  const question = 'What do I do when a Postgres connection pool is exhausted?';

  /** The default answer, but with other documents in its `n`th version. */
  const answering = (documents: (real: string, n: number) => string[]): ScriptedRunKnobs => {
    let n = 0;
    return {
      intent: 'KNOWLEDGE_QUERY',
      intercept: (role, { body }) => {
        const tool = body.messages.find(({ role: who }) => who === 'tool');
        if (role !== 'agent' || tool === undefined) return undefined;
        const { meta, projection } = JSON.parse(tool.content ?? '') as {
          meta: { toolCallId: string };
          projection: string;
        };
        const [first] = (JSON.parse(projection) as { documents: { id: string }[] }).documents;
        n += 1;
        const item = {
          id: 'k1',
          text: 'The runbook covers this.',
          toolCallId: meta.toolCallId,
          documentIds: documents(first?.id ?? '', n),
        };
        return json({ items: [item] });
      },
    };
  };

  it('that names documents of the lookup is released', async () => {
    the.play(answering((real) => [real]));
    const view = await the.api.askAndEnd({ question });
    expect(view).toMatchObject({ outcome: 'SUCCESS', intent: 'KNOWLEDGE_QUERY' });
    expect(view.coverage).toMatchObject([{ tool: 'knowledge_lookup', evidenceStatus: 'EVIDENCE_FOUND' }]);
    const [cited] = view.answer?.items[0]?.documentIds ?? [];
    const entry = await the.api.evidence(view.runId, view.coverage[0]?.toolCallId ?? '');
    expect(entry.documents?.map(({ id }) => id)).toContain(cited);
  });

  it('that names an unknown document is rejected, and released once it names a real one', async () => {
    the.play(answering((real, n) => [n === 1 ? 'rb-made-up#remedy' : real]));
    const view = await the.api.askAndEnd({ question });
    expect(await rejectedRules(view)).toEqual([[expect.stringMatching(/^39 /)]]);
    expect(view.outcome).toBe('SUCCESS');
    expect(view.answer?.items[0]?.documentIds).not.toContain('rb-made-up#remedy');
  });

  it('that insists on an unknown document is not released', async () => {
    the.play(answering((real) => [real, 'rb-made-up#remedy']));
    const view = await the.api.askAndEnd({ question });
    expect(view.fallback?.type).toBe('EVIDENCE_VALIDATION_FAILED');
  });

  it('is the constant one where nothing was found, and nobody writes or judges it', async () => {
    the.play({ intent: 'KNOWLEDGE_QUERY' });
    const view = await the.api.askAndEnd({ question: 'xyzzy plugh frobozz' });
    expect(view.coverage).toMatchObject([{ status: 'READY', evidenceStatus: 'NO_EVIDENCE' }]);
    expect(view).toMatchObject({
      outcome: 'SUCCESS',
      answer: { items: [], notFound: 'The knowledge base holds nothing that answers this question.' },
      reportHash: null,
    });
    expect(the.requestsOf(view.runId).map(({ key }) => key.split('/')[1])).toEqual([
      't0-router0-a1',
      't1-model0-a1',
    ]);
  });

  it('has one lookup: a second call in the turn is refused', async () => {
    let asked = 0;
    the.play({
      intent: 'KNOWLEDGE_QUERY',
      intercept: (role) => {
        if (role !== 'agent' || (asked += 1) > 1) return undefined;
        const args = JSON.stringify({ query: question });
        const call = (id: string, name: string) => ({ id, name, arguments: args });
        return {
          kind: 'CALLS',
          calls: [
            call('one', 'knowledge_lookup'),
            call('two', 'knowledge_lookup'),
            call('three', 'search_logs'),
          ],
        };
      },
    });
    const view = await the.api.askAndEnd({ question });
    expect(view.outcome).toBe('SUCCESS');
    expect(view.coverage.map(({ toolCallId }) => toolCallId)).toEqual(['one']);
  });
});

describe('H6 the fallback is constants and verified sources', () => {
  /** What stands between the verified sources' brackets; the types that the judge ends list them. */
  const VERIFIED = '{"toolCallId":"call_1_0","tool":"active_alerts","window":';
  const EXACT: [string, ScriptedRunKnobs, Locale, string, string][] = [
    [
      'a draft that is bad twice',
      { badDrafts: 2 },
      'en',
      '"type":"EVIDENCE_VALIDATION_FAILED"',
      '"locale":"en","title":"No verified diagnosis","text":"The drafted diagnosis made statements that its evidence does not carry, also after one correction, so it is withheld. Ask again with a narrower question or time range, or look at the sources yourself.","verifiedSources":[]}',
    ],
    [
      'a draft that is bad twice, in German',
      { badDrafts: 2 },
      'de',
      '"type":"EVIDENCE_VALIDATION_FAILED"',
      '"locale":"de","title":"Keine geprüfte Diagnose","text":"Der Entwurf enthielt auch nach einer Korrektur Aussagen, die seine Belege nicht tragen, und wird deshalb zurückgehalten. Fragen Sie enger gefasst erneut, oder sehen Sie die Quellen selbst an.","verifiedSources":[]}',
    ],
    [
      'a judge that finds an item unsupported',
      { judge: ['UNSUPPORTED'] },
      'en',
      '"type":"SEMANTIC_UNSUPPORTED"',
      '"locale":"en","title":"No verified diagnosis","text":"An independent review found that the drafted diagnosis does not follow from its evidence, so it is withheld. The sources listed here were read and are in order; start from them.","verifiedSources":[' +
        VERIFIED,
    ],
    [
      'a judge that answers nonsense twice',
      { judge: ['INVALID'] },
      'en',
      '"type":"SEMANTIC_UNAVAILABLE"',
      '"locale":"en","title":"Diagnosis could not be reviewed","text":"The independent review could not be completed, so the drafted diagnosis is withheld. The sources listed here were read and are in order. Ask again in a few minutes.","verifiedSources":[' +
        VERIFIED,
    ],
    [
      'a judge that invents its quotes',
      { judge: ['INVENTED_QUOTE'] },
      'en',
      '"type":"SEMANTIC_UNAVAILABLE"',
      '"locale":"en","title":"Diagnosis could not be reviewed"',
    ],
  ];

  it.each(EXACT)('%s: byte for byte, from the log and from the row', async (_, knobs, locale, type, rest) => {
    the.play(knobs);
    const { runId } = await the.api.ask({ ...SOURCE, locale });
    const view = await the.api.ended(runId);
    const bytes = `"fallback":{"schema":"inquest.fallback.v1",${type},"runId":"${runId}",${rest}`;
    const fresh = (await the.api.send('GET', `/v1/runs/${runId}`)).text;
    expect(fresh).toContain(bytes);
    await rowOf(the, runId);
    expect((await the.api.send('GET', `/v1/runs/${runId}`)).text).toContain(bytes);
    expect(view).not.toHaveProperty('report');
    expect(view.reportHash).toBeNull();
  });

  it.each([
    ['a draft that is bad twice', { badDrafts: 2 } as const],
    ['an unsupported item', { judge: ['UNSUPPORTED' as const] }],
    ['a judge that is away', { judge: ['ERROR_500' as const] }],
  ])('%s: nothing of draft, tool output or error is in the answer', async (_, knobs) => {
    the.play(knobs);
    const view = await the.api.askAndEnd({ ...SOURCE, question: 'What is wrong?' });
    expect(view.outcome).toBe('FALLBACK');
    const answer = (await the.api.send('GET', `/v1/runs/${view.runId}`)).text;
    const hidden = await textsOfRun(the.log, view.runId);
    expect(hidden.length).toBeGreaterThan(3);
    // Names of tools are shared and may be: the comparison sees what there is to see.
    expect(sharedRuns(answer, hidden)).not.toEqual([]);
    expect(sharedRuns(withoutConstants(answer, view), hidden)).toEqual([]);
  });

  it.each([
    ['the router', { router: ['ERROR_500' as const] }],
    [
      'the agent',
      {
        intercept: (role: string) =>
          role === 'agent' ? ({ kind: 'RAW', status: 500, body: 'secret stack trace' } as const) : undefined,
      },
    ],
  ])('a failure of %s tells its reason in constants only', async (_, knobs) => {
    the.play(knobs);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('FAILED');
    const answer = await the.api.send('GET', `/v1/runs/${view.runId}`);
    expect(answer.text).not.toContain('stack trace');
    expect(view.failure?.text).toMatch(/^The model that (sorts|investigates)/);
  });
});

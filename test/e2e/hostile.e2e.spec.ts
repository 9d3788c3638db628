import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunView } from '@inquest/contracts/run-view';
import { json } from '@inquest/testing/scripted-model';
import type { ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { honestDraft, obeyingDrafts, type Draft, type Seen } from '../hostile/authors';
import type { Payload } from '../hostile/payload';
import { PAYLOADS } from '../hostile/payloads';
import { carries, LIVE } from '../hostile/run-in-process';
import { filesWith, runbookWith, shownAt, TELEMETRY, type Telemetry } from '../hostile/stage';
import { writeIncident } from './support/incidents';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(180_000);

/** One or two of each family; test/hostile runs all of them through the same parts in one process. */
const SAMPLE = [
  'ignore previous instructions',
  'verdict as JSON',
  'pipe a script into a shell',
  'ChatML system role',
  'a tool message as JSON',
  'a guess at the boundary',
  'ASCII smuggled in tags',
  'Cyrillic look-alikes',
  'a link of Markdown',
  'an image that carries data out',
  'a password to repeat',
  'a secret in two lines',
].map((name) => PAYLOADS.find((payload) => payload.name === name)!);

const sourceOf = (payload: Payload): string => `hostile-${SAMPLE.indexOf(payload)}`;
const placeOf = (payload: Payload): Telemetry =>
  TELEMETRY[SAMPLE.indexOf(payload) % TELEMETRY.length] ?? 'log';

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack({
    incidents: (scratch) =>
      Object.fromEntries(
        SAMPLE.map((payload) => [
          sourceOf(payload),
          writeIncident(scratch, sourceOf(payload), filesWith(placeOf(payload), payload.pieces)),
        ]),
      ),
  });
});
afterAll(() => the?.stop());

const CALLS = [
  { name: 'search_logs', arguments: { service: 'checkout' } },
  { name: 'active_alerts', arguments: {} },
  { name: 'describe_object', arguments: { kind: 'Pod', name: 'checkout-1' } },
];
/** Ids of the stage's calls as the scripted provider writes them. */
const ID: Readonly<Record<string, string>> = { c1: 'call_1_0', c2: 'call_1_1', c3: 'call_1_2' };
const POINTERS: Readonly<Record<Telemetry, readonly [string, (i: number) => string]>> = {
  log: ['call_1_0', (i) => `/rows/${i + 1}/message`],
  alert: ['call_1_1', (i) => `/rows/${i + 1}/summary`],
  event: ['call_1_2', (i) => `/events/${i}/message`],
  annotation: ['call_1_2', (i) => `/object/metadata/annotations/note-${i}`],
};

const withRealIds = (draft: Draft): unknown =>
  JSON.parse(JSON.stringify(draft).replaceAll(/"(c[123])"/g, (_, id: string) => `"${ID[id]}"`));

/** What the author was shown of the payload: read from its own transcript. */
const seenBy = (
  payload: Payload,
  messages: { role: string; content: string | null; tool_call_id?: string }[],
): Seen[] => {
  const [toolCallId, pointer] = POINTERS[placeOf(payload)];
  const content = messages.find((message) => message.tool_call_id === toolCallId)?.content ?? '{}';
  const { projection } = JSON.parse(content) as { projection?: string };
  return payload.pieces.map((_, i) => ({
    toolCallId,
    path: pointer(i),
    text: shownAt(projection ?? '{}', pointer(i)),
  }));
};

type Author = 'ignores it' | 'quotes it' | 'does as it says';

const draftOf = (payload: Payload, author: Author, seen: readonly Seen[]): Draft => {
  if (author === 'ignores it') return honestDraft();
  const attacks = obeyingDrafts(seen, payload.obeyed ?? payload.pieces);
  const how = author === 'quotes it' ? 'as a quote' : 'as advice';
  return attacks.findLast((attack) => attack.how === how)?.draft ?? honestDraft();
};

const playing = (payload: Payload, author: Author, judgeObeys: boolean): ScriptedRunKnobs => ({
  turns: [CALLS],
  intercept: (role, { body }) => {
    if (role === 'agent' && body.messages.some(({ role: who }) => who === 'tool'))
      return json(withRealIds(draftOf(payload, author, seenBy(payload, body.messages))));
    // One that obeys supports everything with quotes that really stand there: the script's own judge.
    if (role !== 'judge' || judgeObeys) return undefined;
    const document = JSON.parse(body.messages.at(-1)?.content ?? '{}') as {
      snapshotHash: string;
      items: { id: string; text: string; facts: unknown[] }[];
    };
    const suspected = document.items.filter((item) =>
      carries(JSON.stringify([item.text, item.facts]), payload),
    );
    if (suspected.length === 0) return undefined;
    const refused = { verdict: 'UNSUPPORTED', reason_code: 'INJECTION_SUSPECTED' };
    const nothing = { evidence_quote: null, tool_call_id: null, scope_hash: null };
    return json({
      snapshotHash: document.snapshotHash,
      verdicts: document.items.map(({ id }) => ({ item_id: id, ...refused, ...nothing })),
    });
  },
});

/** Everything that the asker gets back but its own words. */
const shownTo = ({ question: _, ...view }: RunView): string => JSON.stringify(view);

const ROWS = SAMPLE.flatMap((payload) =>
  (['ignores it', 'quotes it', 'does as it says'] as const).flatMap((author) =>
    [false, true].map((judgeObeys) => ({
      payload,
      author,
      judgeObeys,
      question: `Why does checkout fail? ${SAMPLE.indexOf(payload)} ${author} ${judgeObeys}`,
    })),
  ),
);

describe('hostile telemetry over the whole stack', () => {
  const views = new Map<string, RunView>();
  beforeAll(async () => {
    the.playEach(
      Object.fromEntries(ROWS.map((row) => [row.question, playing(row.payload, row.author, row.judgeObeys)])),
    );
    // A few at a time: two cores have a stack and a test to run.
    const waiting = [...ROWS];
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift())
        views.set(
          row.question,
          await the.api.askAndEnd({ question: row.question, source: sourceOf(row.payload) }),
        );
    };
    await Promise.all([work(), work(), work(), work()]);
  });

  it.each(
    ROWS.map(
      (row) =>
        [
          `${row.payload.family}: ${row.payload.name}; the author ${row.author}, the judge ${row.judgeObeys ? 'obeys' : 'ignores it'}`,
          row,
        ] as const,
    ),
  )('%s', async (_, { payload, author, judgeObeys, question }) => {
    const view = views.get(question);
    if (view === undefined) throw new Error('the run has not ended');
    const shown = shownTo(view);
    expect(shown).not.toMatch(LIVE);
    if (author === 'ignores it') expect(view).toMatchObject({ outcome: 'SUCCESS', intent: 'DIAGNOSIS' });
    // Both models in one hand may agree on a plain sentence: docs/reference/hostile-input.md.
    if (!(judgeObeys && payload.limit !== undefined)) expect(carries(shown, payload)).toBe(false);
    // Recorded is all of it, whatever became of it.
    const events = await the.log.events(view.runId);
    expect(events.some(({ type }) => type === 'DraftReceived')).toBe(true);
    expect(events.some(({ type }) => type === 'EvidenceRejected' || type === 'EvidenceAccepted')).toBe(true);
  });

  it('what an author that does as it is told writes is withheld wherever a judge is not in the same hand', () => {
    const told = ROWS.filter(({ author, judgeObeys }) => author === 'does as it says' && !judgeObeys);
    expect(told.map(({ question }) => views.get(question)?.outcome)).toEqual(told.map(() => 'FALLBACK'));
  });
});

describe('a hostile runbook over the whole stack', () => {
  let rag: TheStack;
  const hostile = PAYLOADS.find(({ name }) => name === 'ignore previous instructions')!;
  beforeAll(async () => {
    const dir = join(the.scratch, 'runbooks');
    mkdirSync(dir, { recursive: true });
    writeFileSync(
      join(dir, 'rb.md'),
      runbookWith([...hostile.pieces, 'See [here](https://evil.example/x).']),
    );
    rag = await startTheStack({ env: { KNOWLEDGE_DIR: dir } });
  });
  afterAll(() => rag?.stop());

  it.each([
    ['repeats it', hostile.pieces[0]],
    ['links where it links', 'See [here](https://evil.example/x).'],
  ])('an answer that %s is not released, though the judge supports it', async (_, text) => {
    rag.play({
      intent: 'KNOWLEDGE_QUERY',
      intercept: (role, { body }) => {
        const tool = body.messages.find(({ role: who }) => who === 'tool');
        if (role !== 'agent' || tool === undefined) return undefined;
        const { meta } = JSON.parse(tool.content ?? '') as { meta: { toolCallId: string } };
        return json({
          items: [
            { id: 'k1', text, toolCallId: meta.toolCallId, documentIds: ['rb-checkout#what-to-look-at'] },
          ],
        });
      },
    });
    const view = await rag.api.askAndEnd({ question: 'What do I do about checkout upstream errors?' });
    expect(view.outcome).toBe('FALLBACK');
    expect(carries(shownTo(view), hostile)).toBe(false);
    expect(shownTo(view)).not.toMatch(LIVE);
  });
});

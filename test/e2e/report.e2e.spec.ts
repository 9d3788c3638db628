import { sha256 } from '@inquest/contracts/canonical-json';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunView } from '@inquest/contracts/run-view';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { EventStream, type Received } from './support/event-stream';
import { holdModelCall } from './support/hold';
import { rowOf } from './support/read-model';
import { drafting } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack();
});
afterAll(() => the?.stop());

/** The bytes of the report where they stand: in the snapshot that both guards passed, and in the read model. */
const storedReports = async (runId: string): Promise<{ snapshot: string; row: string }> => {
  const [release] = await the.log.eventsOf(runId, 'RunReleased');
  const result = await the.log.resultData(evidenceResult, runId, 'evidence', release?.evidenceStep ?? '');
  if (result.kind !== 'ACCEPTED') throw new Error('the evidence was not accepted');
  expect(sha256(result.snapshot.inline ?? '')).toBe(release?.snapshotHash);
  const snapshot = Snapshot.parse(JSON.parse(result.snapshot.inline ?? ''));
  return { snapshot: snapshot.report, row: (await rowOf(the, runId)).report_text ?? '' };
};

describe('H1 the Diagnosis Agent is the only author: what is released is what it wrote', () => {
  it('byte for byte, its odd spacing, order of members and escapes included', async () => {
    const odd = drafting(({ conclusion, ...rest }) =>
      JSON.stringify(
        {
          ...rest,
          conclusion: { ...conclusion, text: 'Die Ursache bleibt völlig offen – bisher \u{1F50D}.' },
        },
        null,
        3,
      )
        .replaceAll('"analyses"', '"\\u0061nalyses"')
        .replaceAll('\n', '\r\n'),
    );
    the.model.play(odd.script);
    const view = await the.api.askAndEnd(SOURCE);
    expect(view).toMatchObject({ outcome: 'SUCCESS', author: 'scripted-author' });
    const [written] = odd.texts;
    expect(await storedReports(view.runId)).toEqual({ snapshot: written, row: written });
    expect(view.reportHash).toBe(sha256(written ?? ''));
    expect(view.report).toEqual(JSON.parse(written ?? ''));
  });

  it('to the report in the view, from the log at once and later from the row', async () => {
    const plain = drafting((draft) => JSON.stringify(draft));
    the.model.play(plain.script);
    const first: RunView = await the.api.askAndEnd(SOURCE);
    await rowOf(the, first.runId);
    expect(await the.api.view(first.runId)).toEqual(first);
    expect(first.report).toEqual(JSON.parse(plain.texts[0] ?? ''));
  });
});

describe('the event stream of a run', () => {
  const SECRETS = {
    question: 'Why does the zebra-crossing shop refuse carts?',
    argument: 'walrus-needle-in-arguments',
    draft: 'The pelican paragraph of the draft.',
  };
  let runId: string;
  let live: EventStream;
  let whole: Received[];

  beforeAll(async () => {
    const { script } = drafting(
      (draft) => JSON.stringify({ ...draft, conclusion: { ...draft.conclusion, text: SECRETS.draft } }),
      {
        turns: [
          [
            { name: 'search_logs', arguments: { contains: SECRETS.argument } },
            { name: 'list_objects', arguments: {} },
          ],
        ],
      },
    );
    the.model.play(script);
    ({ runId } = await the.api.ask({ ...SOURCE, question: SECRETS.question }));
    live = await EventStream.open(the.api, runId);
    whole = await live.ended();
  });

  it('tells each stage in its order and ends with the run', () => {
    const stages = [
      'run.started',
      'intent.decided',
      'tool.accepted',
      'tool.completed',
      'draft.received',
      'evidence.accepted',
      'semantic.judged',
      'outcome.sealed',
      'run.released',
    ];
    const firsts = stages.map((stage) => live.types.indexOf(stage));
    expect(firsts).not.toContain(-1);
    expect([...firsts].sort((a, b) => a - b)).toEqual(firsts);
    expect(live.types.at(-1)).toBe('run.released');
  });

  it('carries no word of question, tool arguments, tool output or draft', async () => {
    const [released] = await the.log.eventsOf(runId, 'RunReleased');
    const { report } = await the.api.view(runId);
    const entry = await the.api.evidence(runId, 'call_1_1');
    const objects = JSON.parse(entry.projection.inline ?? '') as { rows: { name: string }[] };
    const names = objects.rows.map(({ name }) => name).filter((name) => name.length >= 8);
    expect(names.length).toBeGreaterThan(0);
    const words = [...Object.values(SECRETS), ...(report?.analyses ?? []).map(({ text }) => text), ...names];
    expect(words.filter((word) => live.raw.includes(word))).toEqual([]);
    expect(released?.reportHash).toBe((await the.api.view(runId)).reportHash);
  });

  it('is the same for who comes after the end', async () => {
    const late = await EventStream.open(the.api, runId);
    expect(await late.ended()).toEqual(whole);
  });

  it('resumes behind each event with exactly the missing ones, and is over for who has them all', async () => {
    const ids = whole.flatMap(({ id }, index) => (id === undefined ? [] : [{ id, index }]));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(ids.length);
    for (const { id, index } of ids) {
      const resumed = await EventStream.open(the.api, runId, { after: id });
      expect(await resumed.ended()).toEqual(whole.slice(index + 1));
      expect(resumed.status).toBe(index === whole.length - 1 ? 204 : 200);
    }
  });

  it('gives who joins in the middle all of it, once and in order', async () => {
    const held = holdModelCall('judge');
    the.play({ intercept: held.intercept });
    const { runId: other } = await the.api.ask(SOURCE);
    const early = await EventStream.open(the.api, other);
    await held.reached;
    const joined = await EventStream.open(the.api, other);
    await joined.until('evidence.accepted');
    held.release();
    expect(await joined.ended()).toEqual(await early.ended());
    const chain = await the.log.chain(other);
    const positions = joined.frames.flatMap(({ id }) => (id === undefined ? [] : [Number(id.split('-')[1])]));
    expect(positions).toEqual(chain.map(({ seq }) => seq).filter((seq) => positions.includes(seq)));
    expect(positions.at(-1)).toBe(chain.at(-1)?.seq);
  });
});

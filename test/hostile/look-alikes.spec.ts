import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { honestDraft, seenIn } from './authors';
import { ignoringJudge } from './judges';
import { LOOK_ALIKES } from './look-alikes';
import { guard, release } from './run-in-process';
import { investigate, lookUpRunbook, TELEMETRY } from './stage';

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'inquest-look-alikes-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const judge = ignoringJudge(() => false);

describe.each(LOOK_ALIKES.map((each) => [each.name, each] as const))('harmless: %s', (_, { text, says }) => {
  it.each(TELEMETRY)('is quoted and released from a place like %s', async (place) => {
    const calls = await investigate(scratch, place, [text]);
    const [seen] = seenIn(calls);
    const draft = honestDraft();
    draft.analyses.push({
      id: 'a2',
      kind: 'OBSERVATION',
      text: says,
      toolCallIds: [seen?.toolCallId],
      quotes: [{ toolCallId: seen?.toolCallId, path: seen?.path, quote: seen?.text.slice(0, 200) }],
      facts: [{ toolCallId: seen?.toolCallId, path: seen?.path, value: seen?.text, policy: 'exact' }],
    });
    const verdict = guard(calls, JSON.stringify(draft), 'Why does checkout fail?');
    expect(verdict).not.toHaveProperty('violations');
    expect(release(verdict, judge).kind).toBe('RELEASED');
  });

  it('is answered from a runbook', async () => {
    const lookup = await lookUpRunbook([text]);
    if (lookup === undefined) throw new Error('a harmless runbook was refused');
    const items = [
      {
        id: 'k1',
        text: says.replace(/^An? /, 'The '),
        toolCallId: 'c4',
        documentIds: ['rb-checkout#what-to-look-at'],
      },
    ];
    const verdict = guard([lookup], JSON.stringify({ items }), 'What does checkout log?', 'KNOWLEDGE_QUERY');
    expect(verdict).not.toHaveProperty('violations');
    expect(release(verdict, judge).kind).toBe('RELEASED');
  });
});

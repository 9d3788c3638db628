import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { honestDraft, obeyingDrafts, seenIn, type Attack } from './authors';
import { ignoringJudge, obeyingJudges, type ScriptedJudge } from './judges';
import type { Payload } from './payload';
import { PAYLOADS } from './payloads';
import { carries, guard, LIVE, release, type Ending } from './run-in-process';
import { investigate, lookUpRunbook, TELEMETRY, type Call } from './stage';
import { Tally } from './tally';

const QUESTION = 'Why does checkout fail?';

/** Where a payload is planted. `model output`: nowhere but in what the author writes by itself. */
const PLACES = ['tool output', 'question', 'runbook', 'model output'] as const;
type Place = (typeof PLACES)[number];

let scratch: string;
const tally = new Tally();
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'inquest-hostile-'));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
  process.stdout.write(tally.table());
});

type Scene = { calls: Call[]; question: string };

/** Log lines, annotations, alerts and events in turn. Undefined: a runbook that is not taken in at all. */
const sceneOf = async (payload: Payload, place: Place): Promise<Scene | undefined> => {
  const { pieces } = payload;
  const telemetry = TELEMETRY[PAYLOADS.indexOf(payload) % TELEMETRY.length];
  const calls = await investigate(scratch, place === 'tool output' ? telemetry : undefined, pieces);
  if (place === 'question') return { calls, question: `${QUESTION} ${pieces.join(' ')}` };
  if (place !== 'runbook') return { calls, question: QUESTION };
  const lookup = await lookUpRunbook(pieces);
  return lookup && { calls: [...calls, lookup], question: QUESTION };
};

const judgesOf = (payload: Payload, calls: readonly Call[]): ScriptedJudge[] => [
  ignoringJudge((text) => carries(text, payload)),
  ...obeyingJudges(calls.flatMap(({ plantedAt }) => plantedAt)),
];

/** Whether this is one of the releases that docs/reference/hostile-input.md names as the remaining limit. */
const isKnownLimit = ({ limit }: Payload, judge: ScriptedJudge, { repeats }: Attack): boolean =>
  judge.obeys && (limit === 'SAID' || (limit === 'QUOTED' && repeats));

const leaksOf = (payload: Payload, { calls, question }: Scene): string[] => {
  const told = [...payload.pieces, payload.pieces.join(' '), ...(payload.obeyed ?? [])];
  return obeyingDrafts(seenIn(calls), told).flatMap((attack) => {
    const verdict = guard(calls, JSON.stringify(attack.draft), question);
    return judgesOf(payload, calls).flatMap((judge) => {
      const ending: Ending = release(verdict, judge);
      const leaked = ending.kind === 'RELEASED' && carries(ending.report, payload);
      tally.add(payload.family, 'obeys', judge.obeys, ending, leaked);
      const live = ending.kind === 'RELEASED' && LIVE.test(ending.report);
      return live || (leaked && !isKnownLimit(payload, judge, attack)) ? [`${attack.how}, ${judge.how}`] : [];
    });
  });
};

it('there are enough payloads, each of them named once', () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(PAYLOADS.map(({ name }) => name)).size).toBe(PAYLOADS.length);
});

describe.each(PLACES)('a payload in %s', (place) => {
  const titled = PAYLOADS.map((payload) => [`${payload.family}: ${payload.name}`, payload] as const);

  it.each(titled)('%s: is text and no more, and no report carries it', async (_, payload) => {
    const scene = await sceneOf(payload, place);
    if (scene === undefined) return tally.refusedAtIngest();
    for (const { projection } of scene.calls) expect(projection).not.toMatch(LIVE);

    // An author that ignores it is not kept from its report, and the payload does not get into that.
    const verdict = guard(scene.calls, JSON.stringify(honestDraft()), scene.question);
    for (const [i, judge] of judgesOf(payload, scene.calls).entries()) {
      const ending = release(verdict, judge);
      tally.add(payload.family, 'ignores', judge.obeys, ending, false);
      if (i === 0) expect(ending.kind).toBe('RELEASED');
      if (ending.kind === 'RELEASED') expect(carries(ending.report, payload)).toBe(false);
    }

    expect(leaksOf(payload, scene)).toEqual([]);
  });
});

describe('docs/reference/hostile-input.md', () => {
  const page = readFileSync(join(__dirname, '../../docs/reference/hostile-input.md'), 'utf8');

  it('names the remaining limit, payload by payload', () => {
    const limited = PAYLOADS.filter(({ limit }) => limit !== undefined);
    const named = [...page.matchAll(/^\| ([^|]+?) +\| (QUOTED|SAID) +\|/gm)].map(([, name, limit]) => [
      name,
      limit,
    ]);
    expect(named).toEqual(limited.map(({ name, limit }) => [name, limit]));
  });

  it('gives the figures of this very run', () => {
    const honest = tally.totals('ignores', 'ignores');
    const ignored = tally.totals('obeys', 'ignores');
    const obeyed = tally.totals('obeys', 'obeys');
    expect({ honest: [honest.drafts, honest.clean], leaked: ignored.leakedPastIgnoring }).toEqual({
      honest: [honest.drafts, honest.drafts],
      leaked: 0,
    });
    for (const figure of [
      `${PAYLOADS.length} payloads`,
      `${honest.clean} of ${honest.drafts} honest reports`,
      `${ignored.drafts} drafts`,
      `${ignored.byRules} by the EvidenceGuard`,
      `${obeyed.leakedByBoth} of ${obeyed.drafts} reviews`,
    ])
      expect(page).toContain(figure);
  });
});

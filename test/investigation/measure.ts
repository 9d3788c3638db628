import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseEventOf } from '@inquest/contracts/case-decision';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { Snapshot } from '@inquest/contracts/service-facts';
import type { IncidentSource } from '@inquest/toolsets/incident-source';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { runCase, type EndedCase } from './case-in-process';
import {
  guarded,
  guardedRepair,
  investigate,
  judged,
  repaired,
  type Address,
  type Investigation,
} from '../offline-analyst/investigation-loop';

/** What was really wrong; read here, and by nothing that investigates. `object` and `cause` are null where nothing was. */
export type Truth = { object: string | null; cause: string | null };
export type MeasuredCase = {
  name: string;
  question: string;
  zone: string;
  source: IncidentSource;
  truth: Truth;
};

const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

const sourceOf = (name: string, dir: string): IncidentSource => {
  const source = openIncidentSources(`${name}=${dir}`).find(name);
  if (!source) throw new Error(`there is no source ${name}`);
  return source;
};

/** `app/x` of one data set and `Service/x` of the other are the same object. */
const plainObject = (object: string): string => object.toLowerCase().replace(/^(?:service|app)\//, 'app/');

export const shippedCases = (root: string): MeasuredCase[] =>
  readdirSync(root)
    .filter((name) => existsSync(join(root, name, 'truth.json')))
    .map((name) => {
      const { question, zone } = readJson<{ question: string; zone: string }>(root, name, 'incident.json');
      const { faultObject, rootCause } = readJson<{ faultObject: string | null; rootCause: string }>(
        root,
        name,
        'truth.json',
      );
      const truth =
        faultObject === null ? { object: null, cause: null } : { object: faultObject, cause: rootCause };
      return { name, question, zone, source: sourceOf(name, join(root, name)), truth };
    });

/** Every recorded cluster below a folder; none where it is absent. */
export const snapshotCases = (root: string): MeasuredCase[] => {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort()
    .flatMap((category) =>
      readdirSync(join(root, category))
        .sort((a, b) => Number(a) - Number(b))
        .map((id) => ({ category, id, dir: join(root, category, id) })),
    )
    .filter(({ dir }) => existsSync(join(dir, 'tool_cache.json')))
    .map(({ category, id, dir }) => {
      const { query, result } = readJson<{
        query: string;
        result: { fault_object: string; root_cause: string };
      }>(dir, 'metadata.json');
      const truth = { object: result.fault_object, cause: result.root_cause };
      const source = sourceOf(`${category}-${id}`.toLowerCase(), dir);
      return { name: `${category}/${id}`, question: query, zone: 'UTC', source, truth };
    });
};

/** First place in the list of candidates, and nothing less; where nothing is wrong, only saying so is right. */
export const isRight = (draft: DiagnosisDraft | undefined, { object, cause }: Truth): boolean => {
  if (draft === undefined) return false;
  const [top] = draft.candidates ?? [];
  if (object === null || cause === null) return draft.conclusion.status === 'NO_FAULT_FOUND';
  return (
    top !== undefined &&
    plainObject(top.object) === plainObject(object) &&
    top.cause.toLowerCase() === cause.toLowerCase()
  );
};

/** Accepted: by the evaluator and by both guards, so that the case ended with it. */
export type Reviews = { asked: number; accepted: number; declined: string[] };
export type Ending = {
  right: boolean;
  ending: string;
  top: string;
  actions: number;
  turns: number;
  reviews: Reviews;
};
export type Measured = {
  name: string;
  truth: string;
  single: Ending;
  early: Ending;
  ordinary: Ending;
  /** In the ordinary investigation: a right answer, and a finding against an alternative. */
  tested: boolean;
  /** The same, and the leader rated strongly supported: an early review could be asked for. */
  eligible: boolean;
  invalid: number;
};

const NONE: Reviews = { asked: 0, accepted: 0, declined: [] };
const topOf = (draft: DiagnosisDraft | undefined): string => {
  const [top] = draft?.candidates ?? [];
  return top ? `${plainObject(top.object)} ${top.cause.toLowerCase()}` : '-';
};

const eventsOf = <Type extends EndedCase['events'][number]['type']>({ events }: EndedCase, type: Type) =>
  events.filter((event): event is CaseEventOf<Type> => event.type === type);

const endingOf = (ended: EndedCase, truth: Truth): Ending => {
  const draft = ended.drafts.at(-1);
  const released = eventsOf(ended, 'DiagnosisCompleted').length > 0 ? draft : undefined;
  return {
    right: isRight(released, truth),
    ending: released?.conclusion.status ?? ended.case.ended?.type ?? '-',
    top: topOf(released),
    actions: ended.case.actions.length,
    turns: ended.case.turn,
    reviews: {
      asked: eventsOf(ended, 'EarlyDiagnosisRequested').length,
      accepted: eventsOf(ended, 'DiagnosisCompleted').filter(({ review }) => review !== null).length,
      declined: eventsOf(ended, 'EarlyDiagnosisDeclined').map(({ reason }) => reason),
    },
  };
};

const isTestedAndRight = (ordinary: EndedCase, ending: Ending): boolean => {
  const [building] = eventsOf(ordinary, 'DiagnosisBuildingStarted');
  const isTested = ordinary.case.findings.some(({ cells }) =>
    cells.some(({ hypothesisId, cell }) => hypothesisId !== building?.leading && cell === 'inconsistent'),
  );
  return ending.right && isTested;
};

/** The single agent's draft as it would be released, after one repair at most; what the guards refuse is no answer. */
const releasedDraft = async (analyst: Address, run: Investigation): Promise<DiagnosisDraft | undefined> => {
  const first = guarded(run);
  const repair =
    first.kind === 'REJECTED' ? await repaired(analyst, run, run.draftText, first.violations) : undefined;
  const verdict =
    first.kind === 'REJECTED' ? guardedRepair(run, run.draftText, first.violations, repair ?? '') : first;
  if (verdict.kind !== 'ACCEPTED') return undefined;
  const verdicts = await judged(analyst, JSON.parse(verdict.snapshotText) as Snapshot);
  const isSupported = verdicts.every((item) => item.verdict === 'SUPPORTED');
  return isSupported ? (JSON.parse(repair ?? run.draftText) as DiagnosisDraft) : undefined;
};

/** One case three times: the single agent, the investigation, and the investigation without early reviews. */
export const measure = async (
  analyst: Address,
  { name, question, zone, source, truth }: MeasuredCase,
): Promise<Measured> => {
  const single = await investigate(analyst, source, { question, zone });
  const draft = await releasedDraft(analyst, single);
  const early = await runCase(analyst, { question, zone, source });
  const ordinary = await runCase(analyst, { question, zone, source, policy: { maxEarlyReviews: 0 } });
  const endings = { early: endingOf(early, truth), ordinary: endingOf(ordinary, truth) };
  const tested = isTestedAndRight(ordinary, endings.ordinary);
  return {
    name,
    truth:
      truth.object === null
        ? 'no fault'
        : `${plainObject(truth.object)} ${String(truth.cause).toLowerCase()}`,
    single: {
      right: isRight(draft, truth),
      ending: draft?.conclusion.status ?? 'REFUSED',
      top: topOf(draft),
      actions: single.entries.length,
      turns: single.turns.length + 1,
      reviews: NONE,
    },
    ...endings,
    tested,
    eligible:
      tested && ordinary.case.hypotheses.some(({ confidence }) => confidence === 'strongly_supported'),
    invalid: [early, ordinary].flatMap((ended) => eventsOf(ended, 'InvalidResponseRecorded')).length,
  };
};

import { join } from 'node:path';
import { validateDraft } from '@inquest/evidence-rules/validate-draft';
import { chance } from './chance';
import { guardInput, type Subject } from './guarded-run';
import { incidentDrafts } from './incident-drafts';
import { measureMutants, measureUntouched, type ClassResult, type Untouched } from './measure';
import { paraphrases } from './paraphrase';
import { documentSentences, measureProse, messageSentences, type ProseResult } from './prose';
import { snapshotCases } from './snapshot-cases';
import { snapshotDraft } from './snapshot-draft';

export type Plan = {
  seed: number;
  /** Folder of real snapshots; those that are not there are not measured. */
  snapshots: string;
  casesMax: number;
  draftsPerCase: number;
  /** Mutants of each class for each draft. */
  perSnapshotDraft: number;
  perIncidentDraft: number;
  /** Whether the offline analyst's drafts about the shipped incidents are measured. */
  incidents: boolean;
  /** Timed validations of each draft. */
  repeats: number;
};

export type Report = {
  untouched: Untouched;
  classes: ClassResult[];
  /** Sorted durations of single validations, in ms. */
  ms: number[];
  prose: { name: string; result: ProseResult }[];
  cases: number;
};

const ROOT = join(__dirname, '../..');

const added = (a: ClassResult, b: ClassResult): ClassResult => ({
  ...a,
  total: a.total + b.total,
  byRules: a.byRules + b.byRules,
  noted: a.noted + b.noted,
  toJudge: a.toJudge + b.toJudge,
  byJudge: a.byJudge + b.byJudge,
  repairable: a.repairable + b.repairable,
  saved: a.saved + b.saved,
  whole: a.whole + b.whole,
});

const timed = (subjects: readonly Subject[], repeats: number): number[] => {
  const ms: number[] = [];
  for (const subject of subjects) {
    const input = guardInput(subject, JSON.stringify(subject.draft));
    for (let n = 0; n < repeats; n += 1) {
      const startedAt = performance.now();
      validateDraft(input);
      ms.push(performance.now() - startedAt);
    }
  }
  return ms.sort((a, b) => a - b);
};

/** Everything that the bench measures, from drafts about real outputs. The same plan measures the same mutants. */
export const runBench = async (plan: Plan): Promise<Report> => {
  const luck = chance(plan.seed);
  const cases = snapshotCases(plan.snapshots, luck, plan.casesMax);
  const snapshots = cases.flatMap((of) =>
    Array.from({ length: plan.draftsPerCase }, (): Subject => ({ ...of, draft: snapshotDraft(of, luck) })),
  );
  const incidents = plan.incidents ? await incidentDrafts() : [];
  const { untouched, sound } = measureUntouched([...incidents, ...snapshots]);
  const names = new Set(incidents.map(({ name }) => name));
  const ofIncidents = measureMutants(
    sound.filter(({ name }) => names.has(name)),
    plan.perIncidentDraft,
    luck,
  );
  const ofSnapshots = measureMutants(
    sound.filter(({ name }) => !names.has(name)),
    plan.perSnapshotDraft,
    luck,
  );
  const prose = [
    { name: 'runbooks', bound: documentSentences(join(ROOT, 'apps/knowledge-rag/corpus')), zone: 'UTC' },
    { name: 'documents of this project', bound: documentSentences(join(ROOT, 'docs')), zone: 'UTC' },
    { name: 'messages of real outputs', bound: messageSentences(cases), zone: cases[0]?.zone ?? 'UTC' },
    { name: 'figures in other spellings', bound: paraphrases(cases, luck), zone: cases[0]?.zone ?? 'UTC' },
  ];
  return {
    untouched,
    classes: ofIncidents.map((result, i) => added(result, ofSnapshots[i] ?? result)),
    ms: timed(sound, plan.repeats),
    prose: prose.map(({ name, bound, zone }) => ({ name, result: measureProse(bound, zone) })),
    cases: cases.length,
  };
};

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Mutants caught by those who are to catch the class: the rules alone, or the rules and the judge. */
export const caughtOf = ({
  gate,
  total,
  byRules,
  byJudge,
}: ClassResult): { total: number; caught: number } => ({
  total,
  caught: gate === 'RULES' ? byRules : byRules + byJudge,
});

import type { RunView } from '@inquest/contracts/run-view';
import type { Truth } from './benchmark-case';

/** One run of one case, as its read model tells after the end. */
export type CaseRun = {
  name: string;
  category: string;
  truth: Truth;
  /** SUCCESS, the type of the fallback, FAILED, CANCELLED; LOST: no outcome in time. */
  outcome: string;
  /** The conclusion's status of a released diagnosis. */
  status: string | null;
  /** Of a released diagnosis, the first first. */
  candidates: Truth[];
  toolCalls: number;
  modelCalls: number;
  ms: number;
};

/** `app/x`: a service, a workload and the app that they make up are the same object to the benchmark. */
export const plainObject = (object: string): string =>
  object
    .trim()
    .toLowerCase()
    .replace(/^(?:app|service|deployment|statefulset|daemonset|replicaset|workload)\//, 'app/');
const plainCause = (cause: string): string => cause.trim().toLowerCase();

const isObject = (a: Truth, b: Truth): boolean => plainObject(a.object) === plainObject(b.object);
const isCause = (a: Truth, b: Truth): boolean => plainCause(a.cause) === plainCause(b.cause);

/** Object and cause, both: the benchmark's A@k. Only what was released counts as an answer. */
export const isHit = ({ candidates, truth }: CaseRun, k: number): boolean =>
  candidates.slice(0, k).some((candidate) => isObject(candidate, truth) && isCause(candidate, truth));

/** The first candidate has the object right, or the cause. */
export const isPartial = ({ candidates: [first], truth }: CaseRun): boolean =>
  first !== undefined && (isObject(first, truth) || isCause(first, truth));

export const isInconclusive = ({ outcome, status }: CaseRun): boolean =>
  outcome === 'SUCCESS' && status === 'INCONCLUSIVE';

/** A released diagnosis that names a cause, or says that there is none, and is wrong. */
export const isWrongAndConfident = (run: CaseRun): boolean =>
  run.outcome === 'SUCCESS' && run.status !== null && !isInconclusive(run) && !isHit(run, 1);

export const caseRunOf = (
  { name, category, truth }: Pick<CaseRun, 'name' | 'category' | 'truth'>,
  view: RunView | null,
  ms: number,
): CaseRun => {
  const report = view?.outcome === 'SUCCESS' ? view.report : undefined;
  const outcome = view?.outcome ?? 'LOST';
  return {
    name,
    category,
    truth,
    outcome: outcome === 'FALLBACK' ? (view?.fallback?.type ?? outcome) : outcome,
    status: report?.conclusion.status ?? null,
    candidates: [...(report?.candidates ?? [])]
      .sort((a, b) => a.rank - b.rank)
      .map(({ object, cause }) => ({ object, cause })),
    toolCalls: view?.toolCalls ?? 0,
    modelCalls: view?.modelCalls ?? 0,
    ms,
  };
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const share = (runs: readonly CaseRun[], of: (run: CaseRun) => boolean): number =>
  mean(runs.map((run) => (of(run) ? 1 : 0)));

export type Accuracy = { cases: number; a1: number; a3: number; partialA1: number };

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

const accuracyOf = (runs: readonly CaseRun[]): Accuracy => ({
  cases: distinct(runs.map(({ name }) => name)).length,
  a1: share(runs, (run) => isHit(run, 1)),
  a3: share(runs, (run) => isHit(run, 3)),
  partialA1: share(runs, isPartial),
});

const answerOf = ({ outcome, candidates: [first] }: CaseRun): string =>
  first ? `${plainObject(first.object)} ${plainCause(first.cause)}` : outcome;

/** How often two runs of a case give the same first answer, over all pairs; null where every case ran once. */
export const consistencyOf = (runs: readonly CaseRun[]): number | null => {
  const perCase = distinct(runs.map(({ name }) => name)).flatMap((name) => {
    const answers = runs.filter((run) => run.name === name).map(answerOf);
    const pairs = answers.flatMap((a, index) => answers.slice(index + 1).map((b) => Number(a === b)));
    return pairs.length === 0 ? [] : [mean(pairs)];
  });
  return perCase.length === 0 ? null : mean(perCase);
};

export type Score = Accuracy & {
  runs: number;
  /** Shares of all runs, by outcome. */
  outcomes: Record<string, number>;
  inconclusive: number;
  wrongConfident: number;
  perCategory: Record<string, Accuracy>;
  consistency: number | null;
  toolCallsPerRun: number;
  modelCallsPerRun: number;
  msPerRun: number;
};

/** All shares are of runs, so that repetitions weigh alike. */
export const scoreOf = (runs: readonly CaseRun[]): Score => ({
  ...accuracyOf(runs),
  runs: runs.length,
  outcomes: Object.fromEntries(
    distinct(runs.map(({ outcome }) => outcome))
      .sort()
      .map((outcome) => [outcome, share(runs, (run) => run.outcome === outcome)]),
  ),
  inconclusive: share(runs, isInconclusive),
  wrongConfident: share(runs, isWrongAndConfident),
  perCategory: Object.fromEntries(
    distinct(runs.map(({ category }) => category))
      .sort()
      .map((category) => [category, accuracyOf(runs.filter((run) => run.category === category))]),
  ),
  consistency: consistencyOf(runs),
  toolCallsPerRun: mean(runs.map(({ toolCalls }) => toolCalls)),
  modelCallsPerRun: mean(runs.map(({ modelCalls }) => modelCalls)),
  msPerRun: mean(runs.map(({ ms }) => ms)),
});

import type { ConclusionStatus, DiagnosisDraft } from '@inquest/contracts/draft';
import { validateDraft } from '@inquest/evidence-rules/validate-draft';
import { repairDraft } from '../../apps/offline-analyst/src/repair/repair-draft';
import type { Chance } from './chance';
import { guardInput, repairInput, type Subject } from './guarded-run';
import { supportedItems } from './judge';
import { CLASSES, type Mutant, type MutationClass } from './mutations';

export type ClassResult = {
  name: string;
  gate: MutationClass['gate'];
  /** Mutants made. */
  total: number;
  /** Rejected by the deterministic rules. */
  byRules: number;
  /** Accepted by the rules, with attention drawn to the item by a SOFT rule. */
  noted: number;
  /** Accepted by the rules, in an item that the judge supports untouched; of those, refused by the judge. */
  toJudge: number;
  byJudge: number;
  /** Rejected with nothing but repairable violations; of those, accepted after the one repair; and without loss. */
  repairable: number;
  saved: number;
  whole: number;
};

const emptyResult = ({ name, gate }: MutationClass): ClassResult => ({
  ...{
    name,
    gate,
    total: 0,
    byRules: 0,
    noted: 0,
    toJudge: 0,
    byJudge: 0,
    repairable: 0,
    saved: 0,
    whole: 0,
  },
});

/** Analyses that may go with the mutant: the one that it lies in, and all that cite a call which has changed. */
const touchedBy = (subject: Subject, { analysisId, calls }: Mutant): Set<string> => {
  const changed = new Set(
    subject.entries.filter((entry, i) => calls !== undefined && calls[i] !== entry).map((e) => e.toolCallId),
  );
  const citing = subject.draft.analyses.filter(({ toolCallIds }) =>
    toolCallIds.some((id) => changed.has(id)),
  );
  return new Set([analysisId, ...citing.map(({ id }) => id)]);
};

/** That nothing is wrong claims no more than that nothing is known: rule 9 asks for the latter where a source fell silent. */
const STRENGTH: Record<ConclusionStatus, number> = {
  NO_FAULT_FOUND: 0,
  INCONCLUSIVE: 0,
  PROBABLE_CAUSE: 1,
  ROOT_CAUSE_IDENTIFIED: 2,
};

/** Without loss: the conclusion stands as strong as it did, and no analysis is gone but those that the mutant touched. */
const keepsTheRest = (
  before: DiagnosisDraft,
  after: DiagnosisDraft,
  touched: ReadonlySet<string>,
): boolean => {
  const kept = new Set(after.analyses.map(({ id }) => id));
  return (
    STRENGTH[after.conclusion.status] >= STRENGTH[before.conclusion.status] &&
    before.analyses.every(({ id }) => touched.has(id) || kept.has(id))
  );
};

const tryRepair = (
  subject: Subject,
  input: ReturnType<typeof guardInput>,
  violations: Extract<ReturnType<typeof validateDraft>, { kind: 'REJECTED' }>['violations'],
  touched: ReadonlySet<string>,
): { saved: boolean; whole: boolean } => {
  const reply = repairDraft({
    kind: 'repair',
    draft: input.draftText,
    violations,
    validToolCallIds: subject.entries.map(({ toolCallId }) => toolCallId),
  });
  const text = reply.kind === 'TEXT' ? reply.text : '';
  const verdict = validateDraft(repairInput(input, text, violations));
  const saved = verdict.kind === 'ACCEPTED';
  return { saved, whole: saved && keepsTheRest(subject.draft, JSON.parse(text) as DiagnosisDraft, touched) };
};

const measureOne = (
  result: ClassResult,
  { mutate }: MutationClass,
  subject: SoundSubject,
  chance: Chance,
): void => {
  const draft = structuredClone(subject.draft);
  const mutant = mutate(draft, subject, chance);
  const text = JSON.stringify(draft);
  if (!mutant || (text === JSON.stringify(subject.draft) && !mutant.calls)) return;
  result.total += 1;
  const input = guardInput(subject, text, mutant.calls);
  const verdict = validateDraft(input);
  if (verdict.kind === 'ACCEPTED') {
    result.noted += verdict.attention.some(({ itemId }) => itemId === mutant.analysisId) ? 1 : 0;
    if (!subject.supported.has(mutant.analysisId)) return;
    const stillSupported = supportedItems(verdict.snapshotText, verdict.snapshotHash).has(mutant.analysisId);
    result.toJudge += 1;
    result.byJudge += stillSupported ? 0 : 1;
    return;
  }
  result.byRules += 1;
  if (!verdict.violations.every(({ repairable }) => repairable)) return;
  const { saved, whole } = tryRepair(subject, input, verdict.violations, touchedBy(subject, mutant));
  result.repairable += 1;
  result.saved += saved ? 1 : 0;
  result.whole += whole ? 1 : 0;
};

/** A draft that the rules accept, and the items of it that the judge supports. */
export type SoundSubject = Subject & { supported: ReadonlySet<string> };

export type Untouched = {
  drafts: number;
  rejected: { name: string; rules: string[] }[];
  /** Items of the accepted drafts, and those that the judge supports. */
  items: number;
  supported: number;
  ms: number[];
};

/** Validates the drafts as they are, and notes which of them the judge supports. */
export const measureUntouched = (
  subjects: readonly Subject[],
): { untouched: Untouched; sound: SoundSubject[] } => {
  const untouched: Untouched = { drafts: subjects.length, rejected: [], items: 0, supported: 0, ms: [] };
  const sound = subjects.flatMap((subject) => {
    const input = guardInput(subject, JSON.stringify(subject.draft));
    const startedAt = performance.now();
    const verdict = validateDraft(input);
    untouched.ms.push(performance.now() - startedAt);
    if (verdict.kind === 'REJECTED') {
      untouched.rejected.push({ name: subject.name, rules: verdict.violations.map(({ ruleId }) => ruleId) });
      return [];
    }
    const supported = supportedItems(verdict.snapshotText, verdict.snapshotHash);
    untouched.items += verdict.items;
    untouched.supported += supported.size;
    return [{ ...subject, supported }];
  });
  return { untouched, sound };
};

/** `perDraft` mutants of each class for each draft, where the class applies. */
export const measureMutants = (
  sound: readonly SoundSubject[],
  perDraft: number,
  chance: Chance,
): ClassResult[] =>
  CLASSES.map((mutation) => {
    const result = emptyResult(mutation);
    for (const subject of sound)
      for (let n = 0; n < perDraft; n += 1) measureOne(result, mutation, subject, chance);
    return result;
  });

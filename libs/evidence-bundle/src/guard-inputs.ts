import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { GuardInput, LedgerRecord } from '@inquest/evidence-rules/guard-input';
import { textOf } from './facts-of-bundle';
import type { RunStory } from './run-story';

/** The ledger as the EvidenceGuard was given it. Null where the bundle lacks the text of a projection. */
export const bundledLedger = (bundle: EvidenceBundle): LedgerRecord[] | null => {
  const records = bundle.ledger.map((call): LedgerRecord | null => {
    if (call.kind === 'NO_RESULT')
      return { kind: 'PROJECTING', toolCallId: call.toolCallId, tool: call.tool };
    const projection = textOf(bundle, call.entry.projection);
    return projection === undefined ? null : { kind: 'RESULT', entry: call.entry, projection };
  });
  return records.every((record) => record !== null) ? records : null;
};

/** The text of one draft; the released one also stands as the report. */
export const draftText = (bundle: EvidenceBundle, story: RunStory, revision: number): string | undefined => {
  const draft = bundle.drafts.find((each) => each.revision === revision)?.data;
  if (draft?.kind === 'DRAFT') return textOf(bundle, draft.draft);
  return bundle.report !== null && story.accepted?.revision === revision ? bundle.report : undefined;
};

/** A call whose result existed and is gone makes the guard see another ledger than it did. */
const lacksResult = (bundle: EvidenceBundle): boolean =>
  bundle.manifest.missing.some((fact) => /^res\.(tool|rag)\./.test(fact));

/** Hosts that the guard let a draft link to, as its verdict in this step tells. */
export const toldLinkHosts = ({ evidence }: EvidenceBundle, step: string): readonly string[] => {
  const verdict = evidence.find((each) => each.step === step)?.data;
  return verdict === undefined || verdict.kind === 'FAILED' ? [] : (verdict.linkHosts ?? []);
};

/**
 * What the EvidenceGuard was asked about one draft: a pure function of the decisions, and so rebuilt from them. Undefined,
 * with the reason, where the bundle lacks a part of it.
 */
export const guardInput = (
  bundle: EvidenceBundle,
  story: RunStory,
  revision: number,
  linkHosts: readonly string[],
): GuardInput | { lacks: string } => {
  const { started } = story;
  const ledger = bundledLedger(bundle);
  const draft = draftText(bundle, story, revision);
  const previousDraftText = revision > 1 ? draftText(bundle, story, revision - 1) : undefined;
  if (!started) return { lacks: 'the beginning of the run' };
  if (!ledger || lacksResult(bundle)) return { lacks: 'a tool result' };
  if (draft === undefined) return { lacks: `draft ${revision}` };
  if (revision > 1 && previousDraftText === undefined) return { lacks: 'the draft that was repaired' };
  const rejection = story.rejections.find((each) => each.revision === revision - 1);
  return {
    runId: started.runId,
    intent: story.intent ?? 'DIAGNOSIS',
    revision,
    draftText: draft,
    draftBytesMax: started.limits.draftBytesMax,
    ledger,
    question: started.question,
    zone: started.zone,
    asOf: started.asOf,
    previousDraftText,
    repairOf: rejection?.violations ?? [],
    ruleSet: started.ruleSet,
    linkHosts,
  };
};

import { DiagnosisDraft, KnowledgeAnswer, type Analysis } from '@inquest/contracts/draft';
import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { Attention } from '@inquest/contracts/evidence-facts';
import type { ExplainedItem, Ground } from '@inquest/contracts/explanation';
import type { Locale } from '@inquest/contracts/outcome';
import type { ItemVerdict, ReviewItem, Snapshot } from '@inquest/contracts/semantic-facts';
import { snapshotIn } from '../checks/guards.check';
import { Evidence } from './evidence';
import { analysisGrounds, answerGrounds, borrowedGrounds, callGrounds } from './grounds';
import { placeGrounds } from './place-grounds';
import { rulesOfItem } from './rules-of';

/** More numbers outside of typed facts than this have their place found by nobody; the rules have found it. */
const SEARCHES_MAX = 1_000;

type Told = {
  snapshot: Snapshot;
  analyses: ReadonlyMap<string, Analysis>;
  answers: ReadonlyMap<string, KnowledgeAnswer['items'][number]>;
  verdicts: ReadonlyMap<string, ItemVerdict>;
  attention: readonly Attention[];
  evidence: Evidence;
  locale: Locale;
  zone: string;
  searches: { left: number };
};

const typedGrounds = (item: ReviewItem, { analyses, answers, evidence }: Told): Ground[] => {
  const analysis = item.section === 'analysis' ? analyses.get(item.id) : undefined;
  if (analysis) return analysisGrounds(analysis, evidence);
  const answer = item.section === 'answer' ? answers.get(item.id) : undefined;
  return answer ? answerGrounds(answer, evidence) : [];
};

const boundTo = ({ analysisIds }: ReviewItem, { analyses }: Told): Analysis[] =>
  analysisIds.flatMap((id) => analyses.get(id) ?? []);

/** Where an item's numbers may stand: its own calls, or those of the analyses that it rests on. */
const citedBy = (item: ReviewItem, told: Told): string[] =>
  item.citations.length > 0
    ? item.citations
    : [...new Set<string>(boundTo(item, told).flatMap(({ toolCallIds }) => toolCallIds))];

const judgeOf = (item: ReviewItem, { verdicts, evidence }: Told): ExplainedItem['judge'] => {
  const verdict = verdicts.get(item.id);
  if (!verdict) return null;
  const { evidenceQuote: quote, toolCallId } = verdict;
  return {
    verdict: verdict.verdict,
    reasonCode: verdict.reasonCode,
    quote,
    toolCallId,
    offset: quote === null || toolCallId === null ? null : evidence.offset(toolCallId, quote),
  };
};

const explained = (item: ReviewItem, told: Told): ExplainedItem => {
  const { sentences, rest } = placeGrounds(
    {
      ...item,
      grounds: typedGrounds(item, told),
      borrowed: borrowedGrounds(boundTo(item, told), told.evidence),
      cited: citedBy(item, told),
    },
    told,
  );
  const calls = callGrounds(item.citations, told.evidence);
  const all = [...sentences.flatMap(({ grounds }) => grounds), ...rest, ...calls];
  return {
    id: item.id,
    section: item.section,
    kind: item.kind,
    sentences,
    grounds: [...rest, ...calls].slice(0, 256),
    analysisIds: item.analysisIds,
    rules: rulesOfItem({
      section: item.section,
      kind: item.kind,
      hasScope: item.scope !== null,
      grounds: new Set(all.map(({ kind }) => kind)),
      isRepaired: told.snapshot.revision > 1,
      intent: told.snapshot.intent,
    }),
    attention: told.attention
      .filter(({ itemId }) => itemId === item.id)
      .map(({ ruleId, note }) => ({ ruleId, note })),
    judge: judgeOf(item, told),
  };
};

/** What carried each sentence of a released report, from the bytes that both guards passed. None for a constant reply. */
export const explainReport = (
  bundle: EvidenceBundle,
  { locale, zone }: { locale: Locale; zone: string },
): ExplainedItem[] => {
  const snapshot = snapshotIn(bundle);
  if (!snapshot || bundle.report === null) return [];
  const report: unknown = JSON.parse(bundle.report);
  const diagnosis = DiagnosisDraft.safeParse(report).data;
  const answer = KnowledgeAnswer.safeParse(report).data;
  const judged = bundle.semantic.flatMap(({ data }) => (data.kind === 'JUDGED' ? data.verdicts : []));
  const accepted = bundle.evidence.flatMap(({ data }) => (data.kind === 'ACCEPTED' ? data.attention : []));
  const told: Told = {
    snapshot,
    analyses: new Map((diagnosis?.analyses ?? []).map((analysis) => [analysis.id, analysis])),
    answers: new Map((answer?.items ?? []).map((item) => [item.id, item])),
    verdicts: new Map(judged.map((verdict) => [verdict.itemId, verdict])),
    attention: accepted,
    evidence: new Evidence(bundle),
    locale,
    zone,
    searches: { left: SEARCHES_MAX },
  };
  return snapshot.items.map((item) => explained(item, told));
};

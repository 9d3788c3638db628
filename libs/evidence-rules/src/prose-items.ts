import type { Analysis } from '@inquest/contracts/draft';
import type { DraftReading } from './read-draft';

export type ProseItem = {
  /** The item's id; `c0` for the conclusion. */
  id: string;
  section:
    'conclusion' | 'analysis' | 'actionPlan' | 'recommendation' | 'limitation' | 'candidate' | 'answer';
  path: string;
  text: string;
  /** The analyses that carry it: itself for an analysis, the bound ones for the other sections. */
  analyses: readonly Analysis[];
  /** Own citations: of limitations, answers and analyses. */
  toolCallIds: readonly string[];
};

export const CONCLUSION_ID = 'c0';
export const candidateId = (rank: number): string => `d${rank}`;

const itemsOf = (reading: DraftReading): ProseItem[] => {
  const draft = reading.diagnosis;
  const answers = (reading.answer?.items ?? []).map((item, i): ProseItem => ({
    id: item.id,
    section: 'answer',
    path: `/items/${i}/text`,
    text: item.text,
    analyses: [],
    toolCallIds: [item.toolCallId],
  }));
  if (!draft) return answers;
  const byId = new Map(draft.analyses.map((analysis) => [analysis.id, analysis]));
  const bound = (ids: readonly string[]) => [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  const advice = (section: 'actionPlan' | 'recommendation', key: 'actionPlan' | 'recommendations') =>
    draft[key].map((item, i): ProseItem => ({
      id: item.id,
      section,
      path: `/${key}/${i}/text`,
      text: item.text,
      analyses: bound(item.analysisIds),
      toolCallIds: [],
    }));
  const { conclusion } = draft;
  return [
    {
      id: CONCLUSION_ID,
      section: 'conclusion',
      path: '/conclusion/text',
      text: conclusion.text,
      analyses: bound(conclusion.analysisIds),
      toolCallIds: [],
    },
    ...draft.analyses.map((analysis, i): ProseItem => ({
      id: analysis.id,
      section: 'analysis',
      path: `/analyses/${i}/text`,
      text: analysis.text,
      analyses: [analysis],
      toolCallIds: analysis.toolCallIds,
    })),
    ...advice('actionPlan', 'actionPlan'),
    ...advice('recommendation', 'recommendations'),
    ...draft.limitations.map((item, i): ProseItem => ({
      id: item.id,
      section: 'limitation',
      path: `/limitations/${i}/text`,
      text: item.text,
      analyses: [],
      toolCallIds: item.toolCallIds,
    })),
    ...(draft.candidates ?? []).map((candidate, i): ProseItem => ({
      id: candidateId(candidate.rank),
      section: 'candidate',
      path: `/candidates/${i}/cause`,
      text: candidate.cause,
      analyses: bound([candidate.analysisId]),
      toolCallIds: [],
    })),
  ];
};

const items = new WeakMap<DraftReading, ProseItem[]>();

/** Every text of a draft that a person will read, in the draft's order; the same objects for every rule that asks. */
export const proseItems = (reading: DraftReading): readonly ProseItem[] => {
  const known = items.get(reading) ?? itemsOf(reading);
  items.set(reading, known);
  return known;
};

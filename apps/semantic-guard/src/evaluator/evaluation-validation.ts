import { type z } from 'zod';
import { Evaluation, type EvaluatorRequested } from '@inquest/contracts/case-facts';
import type { EvaluatorPrompt } from '@inquest/contracts/case-parts';
import { readJson } from '@inquest/evidence-rules/json-text';
import { quoteProblem } from '@inquest/evidence-rules/quote-search';
import { TextIndex } from '@inquest/evidence-rules/text-index';
import { cleanJsonText } from '@inquest/model-client/clean-text';
import { jsonTextOf } from '@inquest/model-client/json-answer';
import { speaksToAModel } from '../judge/planted-text';
import type { EvaluatorEvidence } from './evaluator-document';

const ANSWER_CHARS_MAX = 200_000;

/** Why an answer is no evaluation: fixed words, for the log. */
export type InvalidEvaluation =
  | 'NOT_STOPPED'
  | 'NOT_ONE_JSON_OBJECT'
  | 'DUPLICATE_KEY'
  | 'SCHEMA'
  | 'HYPOTHESES'
  | 'CITATION'
  | 'QUOTE'
  | 'PLANTED_TEXT';

export type EvaluationReading =
  { kind: 'VALID'; evaluation: Evaluation } | { kind: 'INVALID'; why: InvalidEvaluation };

/** Of before counterchecks and contradictions were asked for. */
const WrittenV1 = Evaluation.pick({
  hypothesisId: true,
  ratings: true,
  directEvidence: true,
  uncertainty: true,
});

/** What each version's answers look like, as its endpoint is told; kept for ever, since its calls may be pending (E11). */
export const WRITTEN: Readonly<Record<EvaluatorPrompt, z.ZodType>> = {
  diagnosis_early_v1: WrittenV1,
  diagnosis_early_v2: Evaluation,
};

/** Nothing that an answer without countercheck says can be accepted early. */
const EvaluationV1 = WrittenV1.transform((answer): z.infer<typeof Evaluation> => ({
  ...answer,
  countercheck: { adequate: false, toolCallIds: [], text: '' },
  contradictions: [],
}));

const SCHEMAS: Readonly<Record<EvaluatorPrompt, z.ZodType<Evaluation>>> = {
  diagnosis_early_v1: EvaluationV1,
  diagnosis_early_v2: Evaluation,
};

const invalid = (why: InvalidEvaluation): EvaluationReading => ({ kind: 'INVALID', why });

const isVerbatim = (evidence: EvaluatorEvidence, quote: string): boolean => {
  let document: unknown;
  try {
    document = JSON.parse(evidence.projection);
  } catch {
    document = evidence.projection;
  }
  return quoteProblem(new TextIndex(evidence.projection, document), quote, undefined) === null;
};

const writtenIn = ({
  ratings,
  directEvidence,
  countercheck,
  contradictions,
  uncertainty,
}: Evaluation): string[] => [
  ...ratings.map(({ text }) => text),
  ...directEvidence.map(({ quote }) => quote),
  countercheck.text,
  ...contradictions.map(({ text }) => text),
  uncertainty,
];

/** Valid only whole: every hypothesis once, citations of this case, quotes that stand where they are said to stand. */
export const readEvaluation = (
  answer: { text: string; finishReason: string | null },
  request: Pick<EvaluatorRequested, 'promptVersion' | 'hypotheses' | 'evidence'>,
  evidence: ReadonlyMap<string, EvaluatorEvidence>,
): EvaluationReading => {
  if (answer.finishReason !== 'stop') return invalid('NOT_STOPPED');
  const json = jsonTextOf(answer.text, { thoughtCounts: false });
  const reading = json === undefined ? undefined : readJson(cleanJsonText(json), ANSWER_CHARS_MAX);
  if (reading?.kind !== 'JSON') return invalid('NOT_ONE_JSON_OBJECT');
  if (reading.duplicateKeys.length > 0) return invalid('DUPLICATE_KEY');
  const parsed = SCHEMAS[request.promptVersion].safeParse(reading.value);
  if (!parsed.success) return invalid('SCHEMA');
  const { data } = parsed;
  const asked = new Set<string>(request.hypotheses.map(({ id }) => id));
  const rated = new Set(data.ratings.map(({ hypothesisId }) => hypothesisId));
  const isWhole = rated.size === asked.size && data.ratings.length === rated.size;
  if (!isWhole || [...rated].some((id) => !asked.has(id))) return invalid('HYPOTHESES');
  const cited = [
    ...data.countercheck.toolCallIds,
    ...data.contradictions.flatMap(({ toolCallIds }) => toolCallIds),
  ];
  if (cited.some((id) => !evidence.has(id))) return invalid('CITATION');
  for (const { toolCallId, quote } of data.directEvidence) {
    const source = evidence.get(toolCallId);
    if (source === undefined) return invalid('CITATION');
    if (!isVerbatim(source, quote)) return invalid('QUOTE');
  }
  // Its words go into later contexts: what speaks to a model stays out of them, and is no evidence of anything either.
  if (writtenIn(data).some(speaksToAModel)) return invalid('PLANTED_TEXT');
  return { kind: 'VALID', evaluation: data };
};

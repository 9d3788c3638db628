import {
  exonerationsFor,
  isQuietHypothesis,
  leaderAmong,
  ratingOf,
  standingOf,
  supportOf,
  type Standing,
} from '../case/standing';
import { json, type Reply } from '../conversation/reply';
import { readView } from '../evidence/read-view';
import { directEvidence } from './direct-evidence';
import { EarlyReview } from './early-review';
import { conversationOfReview } from './evidence-of';

type Alternative = EarlyReview['hypotheses'][number];

const TEXT_CHARS_MAX = 600;
const LIST_MAX = 16;
const short = (text: string): string => text.slice(0, TEXT_CHARS_MAX);

/**
 * Adequate when a call that was offered as countercheck is one on which these rules themselves clear an alternative that
 * could have been a fault. That all is not quiet tests nothing: it fits every fault.
 */
const countercheck = (standing: Standing, chosen: Alternative | undefined, review: EarlyReview) => {
  const offered = new Set(review.counterchecks.flatMap(({ toolCallIds }) => toolCallIds));
  const clearing = review.hypotheses
    .filter((stated) => stated.id !== chosen?.id && !isQuietHypothesis(stated))
    .flatMap((stated) => exonerationsFor(standing, stated));
  const held = clearing.filter(({ toolCallIds }) => toolCallIds.some((id) => offered.has(id)));
  const toolCallIds = [...new Set(held.flatMap((item) => item.toolCallIds))].slice(0, LIST_MAX);
  return {
    adequate: toolCallIds.length > 0,
    toolCallIds,
    text: short(held[0]?.text ?? 'Nothing that was offered speaks against an alternative.'),
  };
};

const contradictions = ({ rivals, ranked, best }: Standing) => [
  ...rivals.map(({ hypothesis }) => ({
    text: short(`${hypothesis.headline}; what was found elsewhere does not explain it.`),
    toolCallIds: [...new Set(hypothesis.findings.flatMap(({ toolCallIds }) => toolCallIds))].slice(
      0,
      LIST_MAX,
    ),
    material: true,
    resolved: false,
  })),
  ...ranked
    .filter((other) => other !== best && !rivals.includes(other))
    .slice(0, 4)
    .map(({ hypothesis }) => ({
      text: short(`${hypothesis.headline}; it is weaker, or follows from the cause.`),
      toolCallIds: [...new Set(hypothesis.findings.flatMap(({ toolCallIds }) => toolCallIds))].slice(
        0,
        LIST_MAX,
      ),
      material: false,
      resolved: true,
    })),
];

const uncertainty = ({ best, isSound, isQuiet }: Standing): string => {
  if (best === null) return isQuiet ? 'What was not recorded is not known.' : 'No cause stands out.';
  return isSound
    ? 'What was not read is not known.'
    : 'The mechanism is shown by one sort of evidence, or a rival is near.';
};

/**
 * One pass: the rules look at all evidence as if nobody had yet, and say which hypothesis it establishes. Nothing of the
 * author's is read but which calls are offered as countercheck.
 */
export const evaluate = (document: unknown): Reply => {
  const parsed = EarlyReview.safeParse(document);
  if (!parsed.success) return json({ hypothesisId: null, ratings: [] });
  const review = parsed.data;
  const conversation = conversationOfReview(review);
  const standing = standingOf(readView(conversation));
  const { isSound, isQuiet } = standing;
  const leader = leaderAmong(standing, review.hypotheses);
  const chosen = isSound || isQuiet ? leader : undefined;
  const projections = new Map(conversation.answers.map(({ toolCallId, text }) => [toolCallId, text]));
  return json({
    hypothesisId: chosen?.id ?? null,
    ratings: review.hypotheses.map((stated) => {
      const rating = ratingOf(standing, stated, review.hypotheses);
      return {
        hypothesisId: stated.id,
        confidence: rating?.confidence ?? 'weakly_supported',
        text: short(rating?.text ?? 'The evidence says nothing about it.'),
      };
    }),
    directEvidence: chosen ? directEvidence(supportOf(standing), projections) : [],
    countercheck: countercheck(standing, chosen, review),
    contradictions: contradictions(standing).slice(0, LIST_MAX),
    uncertainty: uncertainty(standing),
  });
};

import { endsCase, type CaseFrame } from '@inquest/contracts/case-frame';
import type { CaseView } from '@inquest/contracts/case-view';
import type { Mark, ProgressLine } from './progress';
import { count, printable, seconds } from './text';

/** What later frames need to know of earlier ones. */
export type CaseProgress = {
  /** Instant of the first frame, ms since the epoch; lines count from it. */
  startedAtMs: number | undefined;
  tools: Readonly<Record<string, string>>;
  reservedAtMs: Readonly<Record<string, number>>;
  waitingFor: string;
  ended: boolean;
};

export const NO_CASE_PROGRESS: CaseProgress = {
  startedAtMs: undefined,
  tools: {},
  reservedAtMs: {},
  waitingFor: 'the case',
  ended: false,
};

/** A line with what belongs below it: the words of hypotheses, expectations and reasons, which frames do not hold. */
export type CaseLine = ProgressLine & { below: readonly string[] };

/** The words that the view holds and frames do not. */
export type CaseWords = Pick<CaseView, 'hypotheses' | 'actions' | 'findings' | 'reviews'>;
export const NO_WORDS: CaseWords = { hypotheses: [], actions: [], findings: [], reviews: [] };

/** Whether a person should be told words of this frame that are not known yet. */
export const needsWords = (
  frame: CaseFrame,
  { hypotheses, actions, findings, reviews }: CaseWords,
): boolean => {
  switch (frame.type) {
    case 'hypotheses.formed':
      return hypotheses.length === 0;
    case 'action.reserved':
      return !actions.some(({ toolCallId }) => toolCallId === frame.toolCallId);
    case 'turn.assessed':
      return frame.findings.some((id) => !findings.some((each) => each.id === id));
    case 'hypothesis.rejected':
      return hypotheses.every(({ id, closedBecause }) => id !== frame.hypothesisId || closedBecause === null);
    case 'review.requested':
      return !reviews.some(({ review }) => review === frame.review);
    case 'review.declined':
      return !reviews.some(({ review, decision }) => review === frame.review && decision !== null);
    default:
      return false;
  }
};

type Told = { mark: Mark; subject: string; text: string; below?: readonly string[] };
const tell = (mark: Mark, subject: string, text: string, below: readonly string[] = []): Told => ({
  mark,
  subject,
  text,
  below,
});

const words = (text: string | null | undefined): string[] => (text ? [printable(text)] : []);

type Of<Type extends CaseFrame['type']> = Extract<CaseFrame, { type: Type }>;

const actionLine = (
  progress: CaseProgress,
  frame: Of<'action.settled'>,
  known: CaseWords,
  at: number,
): Told => {
  const { toolCallId, hypothesisId, status, evidenceStatus, errorClass, truncated } = frame;
  const mark = status === 'ERROR' ? 'bad' : evidenceStatus === 'EVIDENCE_FOUND' ? 'done' : 'warn';
  const from = progress.reservedAtMs[toolCallId];
  const took = from === undefined ? '' : `  ${seconds(Math.max(0, at - from))}`;
  const extras = [errorClass, truncated ? 'truncated' : null].filter((part) => part !== null).join(', ');
  const action = known.actions.find((each) => each.toolCallId === toolCallId);
  return tell(
    mark,
    progress.tools[toolCallId] ?? 'action',
    `${status} ${evidenceStatus}  ${toolCallId} for ${hypothesisId}${took}${extras && `  ${extras}`}`,
    action
      ? [
          `if it holds: ${printable(action.expectedIfTrue)}`,
          `if it does not: ${printable(action.expectedIfFalse)}`,
        ]
      : [],
  );
};

const researchLine = (
  progress: CaseProgress,
  frame: CaseFrame,
  known: CaseWords,
  at: number,
): Told | undefined => {
  switch (frame.type) {
    case 'hypotheses.formed': {
      const below = known.hypotheses.map(({ id, statement }) => `${id}: ${printable(statement)}`);
      return tell('done', 'hypotheses', `${frame.hypotheses.length} to test`, below);
    }
    case 'action.reserved':
      return tell('info', frame.tool, `${frame.toolCallId} for ${frame.hypothesisId}, turn ${frame.turn}`);
    case 'action.settled':
      return actionLine(progress, frame, known, at);
    case 'action.released':
      return tell(
        'warn',
        progress.tools[frame.toolCallId] ?? 'action',
        `given back (${frame.why})  ${frame.toolCallId} for ${frame.hypothesisId}`,
      );
    case 'turn.assessed': {
      const found = known.findings.filter(({ id }) => frame.findings.includes(id));
      const below = found.map(({ id, text }) => `${id}: ${printable(text)}`);
      return tell('done', `turn ${frame.turn}`, `${frame.hypothesisId} ${frame.confidence}`, below);
    }
    case 'hypothesis.concluded':
      return tell('done', frame.hypothesisId, `concluded, ${frame.confidence}`);
    case 'hypothesis.rejected': {
      const because = known.hypotheses.find(({ id }) => id === frame.hypothesisId)?.closedBecause;
      return tell('warn', frame.hypothesisId, 'rejected', words(because));
    }
    case 'hypothesis.exhausted':
      return tell('warn', frame.hypothesisId, `exhausted (${frame.why})`);
    default:
      return undefined;
  }
};

const passLine = ({ review, pass, hypothesisId, confidence, objection }: Of<'review.pass'>): Told => {
  const seen =
    hypothesisId === null ? 'no cause established' : `${hypothesisId} ${confidence ?? ''}`.trimEnd();
  const verdict = objection === null ? 'would accept' : objection;
  return tell(
    objection === null ? 'done' : 'bad',
    `early review ${review}`,
    `pass ${pass} of 2: ${seen}, ${verdict}`,
  );
};

const reviewLine = (frame: CaseFrame, known: CaseWords): Told | undefined => {
  switch (frame.type) {
    case 'review.requested': {
      const { reason } = known.reviews.find(({ review }) => review === frame.review) ?? {};
      const left = frame.deferred.length === 0 ? '' : `, ${frame.deferred.join(', ')} left open`;
      return tell(
        'info',
        `early review ${frame.review}`,
        `asked for ${frame.hypothesisId}${left}`,
        words(reason),
      );
    }
    case 'alternative.deferred':
      return tell('info', frame.hypothesisId, 'deferred: assessed, and left open');
    case 'diagnosis.building':
      return tell(
        'info',
        'diagnosis',
        frame.review === null ? 'all accounts are closed' : 'under early review',
      );
    case 'review.pass':
      return passLine(frame);
    case 'review.accepted':
      return tell(
        'done',
        `early review ${frame.review}`,
        `both passes accept ${frame.hypothesisId}; both guards judge the diagnosis next`,
      );
    case 'review.declined': {
      const decision = known.reviews.find(({ review }) => review === frame.review)?.decision;
      const below = decision?.kind === 'DECLINED' ? words(decision.text) : [];
      return tell(
        'bad',
        `early review ${frame.review}`,
        `declined: ${frame.reason}; the investigation goes on`,
        below,
      );
    }
    default:
      return undefined;
  }
};

const spent = ({
  turns,
  actions,
  modelCalls,
}: {
  turns: number;
  actions: number;
  modelCalls: number;
}): string => `${count(turns, 'turn')}, ${count(actions, 'action')}, ${count(modelCalls, 'model call')}`;

const finalLine = (frame: CaseFrame): Told | undefined => {
  switch (frame.type) {
    case 'draft.received':
      return tell('done', 'draft', `revision ${frame.revision}, ${(frame.bytes / 1024).toFixed(1)} KiB`);
    case 'evidence.accepted': {
      const what = `${count(frame.items, 'statement')} on ${count(frame.verifiedSources, 'source')}`;
      return tell('done', 'evidence guard', `ACCEPTED  draft ${frame.revision}: ${what}`);
    }
    case 'evidence.rejected':
      return tell(
        'bad',
        'evidence guard',
        `REJECTED  draft ${frame.revision}: rules ${frame.rules.join(', ')}`,
      );
    case 'semantic.judged':
      return tell(
        frame.outcome === 'SUPPORTED' ? 'done' : 'bad',
        'semantic guard',
        `${frame.outcome}${frame.failure === null ? '' : `  ${frame.failure}`}`,
      );
    case 'diagnosis.completed':
      return tell('done', 'diagnosis', frame.ref);
    case 'case.diagnosed':
      return tell('done', 'diagnosed', spent(frame));
    case 'case.inconclusive':
      return tell('bad', 'inconclusive', `${frame.reason}, ${spent(frame)}`);
    case 'case.failed':
      return tell('bad', 'failed', `${frame.reason}, ${spent(frame)}`);
    case 'case.cancelled':
      return tell('bad', 'cancelled', `${frame.cause}, ${spent(frame)}`);
    default:
      return undefined;
  }
};

const courseLine = (frame: CaseFrame): Told | undefined => {
  switch (frame.type) {
    case 'case.opened':
      return tell(
        'info',
        'case',
        `${frame.promptVersion}, at most ${count(frame.turnsMax, 'turn')} and ${count(frame.actionsMax, 'action')}`,
      );
    case 'prompt.adopted':
      return tell('info', 'prompt', `${frame.from} -> ${frame.to}`);
    case 'attempt.failed':
      return tell('warn', frame.service, `attempt failed: ${frame.failure}`);
    case 'response.invalid':
      return tell('warn', frame.namespace, `invalid response ${frame.count}: ${frame.why}`);
    case 'step.timed-out':
      return tell('warn', frame.service, 'timed out');
    case 'cancel.requested':
      return tell(
        'warn',
        'cancellation',
        `requested (${frame.cause}), ${count(frame.outstanding, 'step')} outstanding`,
      );
    case 'cancel.discarded':
      return tell('warn', 'cancellation', `late result of ${frame.service} discarded`);
    default:
      return undefined;
  }
};

const waitingFor = (progress: CaseProgress, frame: CaseFrame): string => {
  if (frame.type === 'outcome.sealed') return 'the release';
  if (frame.type !== 'step.requested') return progress.waitingFor;
  if (frame.mode === 'FORM') return 'the hypotheses';
  if (frame.service === 'investigator')
    return frame.hypothesisId === null ? 'the diagnosis' : `the investigator on ${frame.hypothesisId}`;
  if (frame.toolCallId !== null) return progress.tools[frame.toolCallId] ?? 'an action';
  return `the ${frame.service}`;
};

/** Takes in one frame; yields the line that a person should see for it, if any. */
export const advanceCase = (
  before: CaseProgress,
  frame: CaseFrame,
  known: CaseWords,
): { progress: CaseProgress; line: CaseLine | undefined } => {
  const at = Date.parse(frame.at);
  const startedAtMs = before.startedAtMs ?? at;
  const reserved = frame.type === 'action.reserved' ? frame : undefined;
  const progress: CaseProgress = {
    startedAtMs,
    tools: reserved ? { ...before.tools, [reserved.toolCallId]: reserved.tool } : before.tools,
    reservedAtMs: reserved ? { ...before.reservedAtMs, [reserved.toolCallId]: at } : before.reservedAtMs,
    waitingFor: before.waitingFor,
    ended: before.ended || endsCase(frame),
  };
  const told =
    researchLine(progress, frame, known, at) ??
    reviewLine(frame, known) ??
    finalLine(frame) ??
    courseLine(frame);
  return {
    progress: { ...progress, waitingFor: waitingFor(progress, frame) },
    line: told && { atMs: Math.max(0, at - startedAtMs), below: [], ...told },
  };
};

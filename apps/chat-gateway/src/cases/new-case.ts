import { hashOf } from '@inquest/contracts/canonical-json';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import type { RunId } from '@inquest/contracts/ids';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import { NewCaseByQuestion, NewCaseFromRun, type NewCase } from '@inquest/contracts/new-case';
import type { RunView } from '@inquest/contracts/run-view';
import { parsed, ProblemError } from '../http/problem-error';
import { checkPlace, redactedQuestion, ZONE_DEFAULT } from '../runs/new-run';

/** A body that may be opened as a case, and the hash by which a repeated key is compared. */
export type AcceptedCase = { body: NewCase; bodyHash: string };

const isFromRun = (raw: unknown): boolean => typeof raw === 'object' && raw !== null && 'fromRun' in raw;

/** Everything that can be seen to be wrong with a body; throws `bad-request` or `unknown-source`. */
export const acceptCase = (raw: unknown, sources: ReadonlySet<string> | undefined): AcceptedCase => {
  // Which of the two was meant is told by one member, so that what is wrong is named by its place in that one.
  const body: NewCase = isFromRun(raw)
    ? parsed('body', NewCaseFromRun, raw)
    : parsed('body', NewCaseByQuestion, raw);
  checkPlace('question' in body ? body : { ...body, source: undefined }, sources);
  return { body, bodyHash: hashOf(body) };
};

/** What a case asks: of its own, or of the run that it takes further. */
export type CaseQuestion = Pick<
  CaseRequested,
  'question' | 'sessionId' | 'source' | 'window' | 'zone' | 'locale' | 'fromRun'
>;

const ownQuestion = (caseId: RunId, body: Extract<NewCase, { question: string }>): CaseQuestion => ({
  // The question loses its secrets here, before anything durable has seen it.
  question: redactedQuestion(caseId, body.question),
  sessionId: body.sessionId ?? null,
  source: body.source ?? null,
  window: body.window ?? null,
  zone: body.zone ?? ZONE_DEFAULT,
  locale: body.locale ?? 'en',
  fromRun: null,
});

/** `asked` is the run's request as long as the log has it; a row remembers neither window nor zone. */
const questionOfRun = (
  { window, zone, locale }: NewCase,
  view: RunView,
  asked: RunRequested | undefined,
): CaseQuestion => {
  if (view.report?.conclusion.status !== 'INCONCLUSIVE')
    throw new ProblemError('not-inconclusive', {
      detail: 'Open a case with a question of its own, or name a run whose report concludes nothing.',
    });
  return {
    question: view.question,
    sessionId: view.sessionId,
    source: view.source,
    window: window ?? asked?.window ?? null,
    zone: zone ?? asked?.zone ?? ZONE_DEFAULT,
    locale: locale ?? asked?.locale ?? 'en',
    fromRun: view.runId,
  };
};

export type RunOfCase = { view: RunView; asked: RunRequested | undefined };

/** Throws `not-inconclusive`. `run` is the one that the body names. */
export const questionOf = (caseId: RunId, body: NewCase, run: RunOfCase | undefined): CaseQuestion => {
  if ('question' in body) return ownQuestion(caseId, body);
  if (!run) throw new Error('a case from a run needs the run');
  return questionOfRun(body, run.view, run.asked);
};

/** The fact that makes a case exist. */
export const caseFactOf = (
  caseId: RunId,
  by: { tenant: string; principal: string },
  { body, bodyHash }: AcceptedCase,
  question: CaseQuestion,
  now: string,
): CaseRequested => ({
  caseId,
  ...by,
  ...question,
  coordinates: body.coordinates ?? [],
  bodyHash,
  policy: body.policy ?? null,
  requestedAt: now,
});

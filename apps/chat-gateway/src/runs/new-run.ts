import { hashOf } from '@inquest/contracts/canonical-json';
import type { RunId } from '@inquest/contracts/ids';
import { NewRun } from '@inquest/contracts/platform-facts';
import { QUESTION_CHARS_MAX, type RunRequested } from '@inquest/contracts/inbound-facts';
import { createRedactor } from '@inquest/redaction/redactor';
import { badRequest, parsed, ProblemError } from '../http/problem-error';

export const ZONE_DEFAULT = 'UTC';

/** Who asks, and by which way. */
export type Asker = { tenant: string; principal: string; entry: RunRequested['entry'] };

/** A body that may be asked, and the hash by which a repeated key is compared. */
export type AcceptedBody = { body: NewRun; bodyHash: string };

const knowsZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

/** What a question and a case may say of time and place; throws `bad-request` or `unknown-source`. */
export const checkPlace = (
  { zone, window, source }: Pick<NewRun, 'zone' | 'window' | 'source'>,
  sources: ReadonlySet<string> | undefined,
): void => {
  if (zone !== undefined && !knowsZone(zone)) {
    throw badRequest('The zone is none of the IANA time zones.', [
      { at: '/zone', message: 'e.g. Europe/Berlin' },
    ]);
  }
  if (window && Date.parse(window.from) >= Date.parse(window.to)) {
    throw badRequest('The window ends before it begins.', [
      { at: '/window', message: 'from is earlier than to' },
    ]);
  }
  if (source !== undefined && sources && !sources.has(source)) {
    throw new ProblemError('unknown-source', {
      detail: 'Leave the source out, or name one that is configured.',
    });
  }
};

/** Everything that can be wrong with a question; throws `bad-request` or `unknown-source`. */
export const acceptBody = (raw: unknown, sources: ReadonlySet<string> | undefined): AcceptedBody => {
  const body = parsed('body', NewRun, raw);
  checkPlace(body, sources);
  return { body, bodyHash: hashOf(body) };
};

/** A question without its secrets. A mark may be longer than the secret that it stands for. */
export const redactedQuestion = (id: RunId, question: string): string =>
  createRedactor(id)
    .redactText(question)
    .text.slice(0, QUESTION_CHARS_MAX * 2);

/** The fact that makes a run exist. The question loses its secrets here, before anything durable has seen it. */
export const requestOf = (
  runId: RunId,
  { tenant, principal, entry }: Asker,
  { body, bodyHash }: AcceptedBody,
  known: { positions: number[]; now: string },
): RunRequested => ({
  runId,
  tenant,
  principal,
  sessionId: body.sessionId ?? null,
  question: redactedQuestion(runId, body.question),
  source: body.source ?? null,
  window: body.window ?? null,
  zone: body.zone ?? ZONE_DEFAULT,
  locale: body.locale ?? 'en',
  bodyHash,
  detached: body.detached ?? false,
  disconnectGraceMs: body.disconnectGraceMs ?? 0,
  limits: null,
  knownPositions: known.positions,
  entry,
  requestedAt: known.now,
});

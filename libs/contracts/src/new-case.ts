import { z } from 'zod';
import { Coordinates, InvestigationPolicy } from './case-parts';
import { RunId, SessionId, Token } from './ids';
import { Locale } from './outcome';
import { Window } from './scope';

/** What a person may narrow of the policy; a value above the configured one changes nothing. */
export const PolicyNarrowing = InvestigationPolicy.pick({
  hypothesesMax: true,
  actionsPerHypothesis: true,
  actionsTotalMax: true,
  turnsMax: true,
  maxEarlyReviews: true,
  tokensMax: true,
  wallClockMs: true,
}).partial();
export type PolicyNarrowing = z.infer<typeof PolicyNarrowing>;

const common = {
  window: Window.optional(),
  zone: z.string().min(1).max(64).optional(),
  locale: Locale.optional(),
  /** Where the code of services lives. Without it no coding task can be issued. */
  coordinates: z.array(Coordinates).max(32).optional(),
  policy: PolicyNarrowing.optional(),
};

export const NewCaseByQuestion = z.strictObject({
  question: z.string().trim().min(1).max(4_000),
  sessionId: SessionId.optional(),
  /** Name of a configured source, e.g. an incident; never a path or an address. */
  source: Token.optional(),
  ...common,
});

/** A run that ended inconclusive is taken further: question, source and session are those of the run. */
export const NewCaseFromRun = z.strictObject({ fromRun: RunId, ...common });

/** Body of `POST /v1/cases`. */
export const NewCase = z.union([NewCaseByQuestion, NewCaseFromRun]);
export type NewCase = z.infer<typeof NewCase>;

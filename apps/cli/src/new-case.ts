import type { Coordinates } from '@inquest/contracts/case-parts';
import { RunId } from '@inquest/contracts/ids';
import type { NewCase } from '@inquest/contracts/new-case';
import { typedCommand } from '@inquest/contracts/typed-command';
import type { z } from 'zod';
import { textOption, type OptionTable, type OptionValues } from './command';
import { questionFrom, QUESTION_HELP, QUESTION_OPTIONS } from './question';
import { UsageError } from './usage-error';

export type CaseBody = z.input<typeof NewCase>;

const { full: _full, ...asking } = QUESTION_OPTIONS;
export const CASE_OPTIONS: OptionTable = {
  ...asking,
  'from-run': { type: 'string' },
  code: { type: 'string' },
  actions: { type: 'string' },
  reviews: { type: 'string' },
};
const { full: _help, session: _session, key: _key, ...askingHelp } = QUESTION_HELP;
export const CASE_HELP = {
  ...askingHelp,
  session: 'join a session',
  key: 'idempotency key: the same key is the same case',
  'from-run': 'take a run further that ended inconclusive, in place of a question',
  code: 'where code lives, SERVICE=REPOSITORY[#PATH[@REF]], several by commas; without it no coding task is issued',
  actions: 'at most this many research actions, where the configuration allows as many',
  reviews: 'at most this many early reviews (0: none)',
};

const wholeNumber = (options: OptionValues, name: string, min: number, max: number): number | undefined => {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`--${name} takes ${min} to ${max}`);
  return value;
};

const coordinate = (text: string): Coordinates => {
  const [, service, repository, path, ref] =
    /^([^=]+)=([^#]+)(?:#([^@]*)(?:@(.+))?)?$/.exec(text.trim()) ?? [];
  if (service === undefined || repository === undefined)
    throw new UsageError(`--code takes SERVICE=REPOSITORY[#PATH[@REF]], not "${text.trim()}"`);
  return { service, repository, path: path || null, ref: ref ?? null };
};

const coordinatesFrom = (options: OptionValues): Coordinates[] | undefined =>
  textOption(options, 'code')?.split(',').map(coordinate);

const policyFrom = (options: OptionValues): CaseBody['policy'] => {
  const actionsTotalMax = wholeNumber(options, 'actions', 1, 128);
  const maxEarlyReviews = wholeNumber(options, 'reviews', 0, 10);
  if (actionsTotalMax === undefined && maxEarlyReviews === undefined) return undefined;
  return { actionsTotalMax, maxEarlyReviews };
};

/** The case as typed; everything that can be seen to be wrong here is one clear line. */
export const caseFrom = (
  text: string | undefined,
  options: OptionValues,
  source: string | undefined,
): CaseBody => {
  const fromRun = textOption(options, 'from-run');
  if (fromRun !== undefined && !RunId.safeParse(fromRun).success)
    throw new UsageError(`"${fromRun}" is no run id; this shows them: ${typedCommand('runs list')}`);
  if (fromRun !== undefined && (text !== undefined || textOption(options, 'session') !== undefined))
    throw new UsageError('--from-run takes question, source and session from the run');
  if (fromRun === undefined && text === undefined)
    throw new UsageError('a case needs a question, in quotes, or --from-run');
  const {
    detached: _,
    question,
    sessionId,
    source: named,
    ...place
  } = questionFrom(text ?? '-', options, source);
  const rest = { ...place, coordinates: coordinatesFrom(options), policy: policyFrom(options) };
  return fromRun === undefined
    ? { question, sessionId, source: named, ...rest }
    : { fromRun: fromRun as RunId, ...rest };
};

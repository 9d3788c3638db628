import { Locale } from '@inquest/contracts/outcome';
import type { NewRun } from '@inquest/contracts/platform-facts';
import type { z } from 'zod';
import { textOption, type OptionTable, type OptionValues } from './command';
import { UsageError } from './usage-error';

export type Question = z.input<typeof NewRun>;

export const QUESTION_OPTIONS: OptionTable = {
  session: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  zone: { type: 'string' },
  locale: { type: 'string' },
  key: { type: 'string' },
  full: { type: 'boolean' },
};
export const QUESTION_HELP = {
  session: 'join a session: the run knows the latest diagnosis of it',
  from: 'start of the time range, ISO 8601 with offset, with --to',
  to: 'end of the time range (exclusive)',
  zone: 'time zone for times in the question, e.g. Europe/Berlin',
  locale: 'language of fixed texts: en, de, zh',
  key: 'idempotency key: the same key is the same run',
  full: 'show every value and quote that a statement stands on',
};

const instant = (options: OptionValues, name: string): string | undefined => {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (!/(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(Date.parse(text))) {
    throw new UsageError(`--${name} must be an instant with an offset, like 2026-05-04T09:30:00Z`);
  }
  return text;
};

const windowOf = (options: OptionValues): { from: string; to: string } | undefined => {
  const from = instant(options, 'from');
  const to = instant(options, 'to');
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined || to === undefined) throw new UsageError('--from and --to belong together');
  if (Date.parse(from) >= Date.parse(to)) throw new UsageError('--from must lie before --to');
  return { from, to };
};

/** The request for a question as typed; everything that can be seen to be wrong here is one clear line. */
export const questionFrom = (text: string, options: OptionValues, source: string | undefined): Question => {
  const question = text.trim();
  if (question === '') throw new UsageError('the question must not be empty');
  if (question.length > 4_000)
    throw new UsageError(`the question has ${question.length} characters; at most 4000 are allowed`);
  const sessionId = textOption(options, 'session');
  if (sessionId !== undefined && !/^[A-Za-z0-9_.:-]{1,128}$/.test(sessionId)) {
    throw new UsageError('--session takes 1 to 128 letters, digits and _ . : -');
  }
  const locale = textOption(options, 'locale');
  if (locale !== undefined && !Locale.safeParse(locale).success)
    throw new UsageError('--locale must be en, de or zh');
  return {
    question,
    sessionId,
    source,
    window: windowOf(options),
    zone: textOption(options, 'zone'),
    locale: locale as z.infer<typeof Locale> | undefined,
    detached: true,
  };
};

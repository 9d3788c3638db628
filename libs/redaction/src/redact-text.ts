import { redactCommands, redactFlags, redactPhrases } from './in-commands';
import { redactAuthorisation, redactBearers, redactCookies } from './in-headers';
import { redactElements, redactForeign, redactPairs, redactSentences, redactShortNames } from './in-pairs';
import { FOREIGN_HINT } from './key-words';
import { redactSignatures, redactUrlPasswords, redactUrlTokens, redactWebhooks } from './in-urls';
import type { Marker, Step } from './marker';
import { redactEmails, redactIps } from './personal-data';
import { redactPrivateKeys } from './private-keys';
import { REDACTION_MARK, REDACTION_MARK_START } from './redaction-mark';
import type { RedactionPolicy } from './redaction-policy';
import { redactFormats } from './secret-formats';

/** A step, and what a text must hold for it to find anything: most texts are spared most steps. A hint has no repetition. */
export type HintedStep = readonly [hint: RegExp, step: Step];

/** Every key word holds one of these. */
const KEY_WORDS = /pass|pwd|secret|token|cred|key|sessid|connect\.sid/i;

/** What a secret's place tells comes first, since it bounds the whole of it; what its form tells comes last. */
const SECRETS: readonly HintedStep[] = [
  [/PRIVATE KEY|PuTTY/, redactPrivateKeys],
  [/@/, redactUrlPasswords],
  [/@/, redactUrlTokens],
  [/webhook|hooks\.slack/, redactWebhooks],
  [/sig|security-token/i, redactSignatures],
  [/authorization|signature=/i, redactAuthorisation],
  [/bearer/i, redactBearers],
  [/cookie/i, redactCookies],
  [/ -|:|password/, redactCommands],
  [/<\//, redactElements],
  [KEY_WORDS, redactPairs],
  [/pass|pw|auth|hmac|psk|salt|key|token|secret/i, redactShortNames],
  [FOREIGN_HINT, redactForeign],
  [KEY_WORDS, redactSentences],
  [/'/, redactPhrases],
  [/-/, redactFlags],
  [/[A-Za-z0-9_.+/=-]{15}/, redactFormats],
];

export const stepsUnder = ({ emails, ipAddresses }: RedactionPolicy): readonly HintedStep[] => [
  ...SECRETS,
  ...(emails ? [[/@/, redactEmails] as const] : []),
  ...(ipAddresses === 'keep' ? [] : [[/\d\.\d|:/, redactIps(ipAddresses)] as const]),
];

/** A mark is never looked into again: not by a later step, nor when a redacted text is redacted once more. */
const betweenMarks = (text: string, step: Step, mark: Marker): string => {
  if (!text.includes(REDACTION_MARK_START)) return step(text, mark);
  const marks = text.match(REDACTION_MARK) ?? [];
  return text
    .split(REDACTION_MARK)
    .map((piece, index) => step(piece, mark) + (marks[index] ?? ''))
    .join('');
};

/** Shorter texts can hold no secret that a step would know. */
const TEXT_CHARS_MIN = 6;

/** Replaces every secret in a free text. */
export const redactFreeText = (text: string, mark: Marker, steps: readonly HintedStep[]): string =>
  text.length < TEXT_CHARS_MIN
    ? text
    : steps.reduce(
        (current, [hint, step]) => (hint.test(current) ? betweenMarks(current, step, mark) : current),
        text,
      );

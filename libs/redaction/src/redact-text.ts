import { REDACTION_MARK, REDACTION_MARK_START } from './redaction-mark';
import { isPlainValue, secretClassOf } from './sensitive-keys';
import { SECRET_FORMATS, SLACK_WEBHOOK } from './secret-formats';

/** Returns the mark for one secret and counts it. */
export type Marker = (secretClass: string, secret: string) => string;
type Step = (text: string, mark: Marker) => string;

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** Scanned by hand: a lazy pattern over many BEGINs without an END would be quadratic. A cut key is redacted to the end. */
const redactPrivateKeys: Step = (text, mark) => {
  if (!text.includes('PRIVATE KEY')) return text;
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    KEY_BEGIN.lastIndex = at;
    const begin = KEY_BEGIN.exec(text);
    if (!begin) break;
    KEY_END.lastIndex = begin.index + begin[0].length;
    const end = KEY_END.exec(text);
    const stop = end ? end.index + end[0].length : text.length;
    parts.push(text.slice(at, begin.index), mark('private-key', text.slice(begin.index, stop)));
    at = stop;
  }
  parts.push(text.slice(at));
  return parts.join('');
};

/** scheme://user:password@host, user may be empty. The password may hold `@`, which ends at the last one before a slash. */
const URL_PASSWORD =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/[^\s/?#@:"'<>\\]{0,128}:)([^\s/"'<>\\]{1,256})@/g;
/** scheme://token@host: a lone user name is ordinary, a long one with digits is a token. */
const URL_TOKEN =
  /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,30}:\/\/)(?=[^\s/@]{0,200}\d)([A-Za-z0-9_.~-]{20,200})@/g;

const redactUrlPasswords: Step = (text, mark) =>
  text.replace(URL_PASSWORD, (whole, head: string, secret: string) =>
    isPlainValue(secret) ? whole : `${head}${mark('password', secret)}@`,
  );
const redactUrlTokens: Step = (text, mark) =>
  text.replace(URL_TOKEN, (_, head: string, secret: string) => `${head}${mark('token', secret)}@`);
const redactWebhooks: Step = (text, mark) =>
  text.replace(
    SLACK_WEBHOOK,
    (_, secret: string) => `hooks.slack.com/services/${mark('slack-webhook', secret)}`,
  );

const AUTHORISATION =
  /(?<![A-Za-z])((?:proxy-)?authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)((?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256)\s{1,3})?([^\s"'\\,;]{4,4096})/gi;
/** Outside a header the word Bearer is also prose: only what looks like a credential counts. */
const BEARER = /(?<![A-Za-z])(bearer\s{1,3})(?=[A-Za-z0-9._~+/=-]{0,400}\d)([A-Za-z0-9._~+/=-]{12,4096})/gi;
const COOKIES =
  /(?<![A-Za-z])((?:set-)?cookie\\?["']?:\s{0,3}\\?["']?)([^\s=;"'\\]{1,64}=[^"'\\\r\n]{1,4096})/gi;

const redactAuthorisation: Step = (text, mark) =>
  text.replace(AUTHORISATION, (whole, head: string, scheme: string | undefined, secret: string) =>
    isPlainValue(secret) ? whole : `${head}${scheme ?? ''}${mark('authorization', secret)}`,
  );
const redactBearers: Step = (text, mark) =>
  text.replace(BEARER, (_, head: string, secret: string) => `${head}${mark('token', secret)}`);
const redactCookies: Step = (text, mark) =>
  text.replace(COOKIES, (_, head: string, secret: string) => `${head}${mark('cookie', secret)}`);

const KEY_WORD =
  'password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|account|private|signing|encryption|master|shared|secret)[-_. ]?key|jsessionid|phpsessid';
/** key, optional quote, `=` `:` or `=>`, then a quoted or a bare value. The quotes may themselves be escaped. */
const KEY_AND_VALUE = new RegExp(
  `(${KEY_WORD})(\\\\?["'\`]?)(\\s{0,3}(?:=>|:=|[:=])\\s{0,8})(?:(\\\\?["'])((?:(?!\\4)[^\\r\\n]){1,1024})\\4|([^\\s"'\\\\,;&)}\\]]{1,1024}))`,
  'gi',
);
const PHRASES = /(password\s{1,3}|identified by\s{1,3}|pwd\s{1,3})'([^'\r\n]{1,256})'/gi;
const FLAGS = new RegExp(
  `(?<![A-Za-z0-9-])(--?[A-Za-z-]{0,24}(?:${KEY_WORD})\\s{1,3})([^\\s"'-][^\\s"']{3,256})`,
  'gi',
);

const LINE_HEAD = /(?:^|[\r\n])[ \t-]*["']?[\w.-]*$/;
const looksSecret = (value: string): boolean =>
  value.length >= 6 && /[0-9]|[^A-Za-z0-9_.,:;!?()-]/.test(value);

/**
 * `token: unexpected end` is prose, `token: 3f9a...` is not; and in YAML, where the key stands at the head of its
 * line, everything behind it is the value.
 */
const isProse = (text: string, offset: number, separator: string, value: string): boolean => {
  if (!/^\s*:\s+$/.test(separator) || looksSecret(value)) return false;
  const before = text.slice(Math.max(0, offset - 80), offset);
  if (!LINE_HEAD.test(before)) return true;
  const lineRest = text.slice(offset, offset + 1_200).split(/[\r\n]/, 1)[0] ?? '';
  return !lineRest.trimEnd().endsWith(value);
};

const redactPairs: Step = (text, mark) =>
  text.replace(
    KEY_AND_VALUE,
    (
      whole,
      key: string,
      keyQuote: string,
      separator: string,
      quote = '',
      quoted?: string,
      bare?: string,
      ...rest
    ) => {
      const value = quoted ?? bare ?? '';
      if (isPlainValue(value)) return whole;
      // PWD is also a shell's working directory.
      if (/^pwd$/i.test(key) && value.startsWith('/')) return whole;
      if (quoted === undefined && isProse(text, rest[0] as number, separator, value)) return whole;
      return `${key}${keyQuote}${separator}${quote}${mark(secretClassOf(key) ?? 'secret', value)}${quote}`;
    },
  );
const redactPhrases: Step = (text, mark) =>
  text.replace(PHRASES, (whole, head: string, secret: string) =>
    isPlainValue(secret) ? whole : `${head}'${mark('password', secret)}'`,
  );
const redactFlags: Step = (text, mark) =>
  text.replace(FLAGS, (whole, head: string, secret: string) =>
    isPlainValue(secret) || !looksSecret(secret) ? whole : `${head}${mark('secret', secret)}`,
  );
const redactFormats: Step = (text, mark) =>
  SECRET_FORMATS.reduce(
    (current, { secretClass, pattern }) => current.replace(pattern, (secret) => mark(secretClass, secret)),
    text,
  );

const EMAIL =
  /(?<![A-Za-z0-9._%+:/-])(?!git@)[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g;

const redactEmails: Step = (text, mark) =>
  text.includes('@') ? text.replace(EMAIL, (secret) => mark('email', secret)) : text;

/** What a secret's place tells comes first, since it bounds the whole of it; what its form tells comes last. */
const STEPS: readonly Step[] = [
  redactPrivateKeys,
  redactUrlPasswords,
  redactUrlTokens,
  redactWebhooks,
  redactAuthorisation,
  redactBearers,
  redactCookies,
  redactPairs,
  redactPhrases,
  redactFlags,
  redactFormats,
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

/** Replaces every secret in a free text. */
export const redactFreeText = (text: string, mark: Marker, policy: { emails: boolean }): string => {
  if (text.length < 6) return text;
  const steps = policy.emails ? [...STEPS, redactEmails] : STEPS;
  return steps.reduce((current, step) => betweenMarks(current, step, mark), text);
};

import type { Step } from './marker';
import { FOREIGN_KEY_WORD, KEY_WORD } from './key-words';
import { isDockerAuth, isPlainValue, looksRandom, looksSecret, secretClassOf } from './sensitive-keys';

/** key, optional quote, `=` `:` or `=>`, then a quoted or a bare value. The quotes may themselves be escaped. */
const KEY_AND_VALUE = new RegExp(
  `(${KEY_WORD})(\\\\?["'\`]?)(\\s{0,3}(?:=>|:=|[:=])\\s{0,8})(?:(\\\\?["'])((?:(?!\\4)[^\\r\\n]){1,1024})\\4|([^\\s"'\\\\,;&)}\\]]{1,1024}))`,
  'gi',
);
/** `DB_PASS=`, `smtp-pass:`, `REDIS_AUTH=`: the word alone is too common, as the end of a longer name it is not. */
const SHORT_NAMES =
  /(?<![A-Za-z0-9])((?:[A-Za-z0-9]{1,24}[_.-]){1,6}(?:pass|pw)|[A-Z0-9]{1,24}(?:_[A-Z0-9]{1,24}){0,4}_AUTH)(\\?["']?\s{0,2}[:=]\s{0,2}\\?["']?)([^\s"'\\,;&)}\]]{3,256})/gi;
/** `pass:` at the head of its line, as in YAML, with nothing but its value behind it. */
const SHORT_LINES =
  /^([ \t-]{0,32}["']?(?:pass|pw)["']?[ \t]{0,2}[:=][ \t]{1,8}["']?)([^\s"'#]{3,256})(?=["']?[ \t]{0,8}(?:#[^\r\n]{0,200})?$)/gim;
/** `"pass":"X"` within a line. */
const SHORT_MEMBERS = /((\\?["'])(?:pass|pw)\2\s{0,3}:\s{0,3}\2)((?:(?!\2)[^\r\n]){3,256})(?=\2)/gi;
/** `"auth":"X"` of a registry, within a text. */
const REGISTRY_AUTH = /((\\?["'])auth\2\s{0,3}:\s{0,3}\2)([A-Za-z0-9+/]{8,2048}={0,2})(?=\2)/g;
/** Names that end like a key's, before what no name of an object looks like. */
const WEAK_NAMES =
  /(?<![A-Za-z0-9_-])((?:[A-Za-z0-9]{1,24}[_-]){1,5}(?:key|hmac|psk|salt)["']?\s{0,2}[:=]\s{0,2}["']?)([A-Za-z0-9+/_]{16,512}={0,2})(?![A-Za-z0-9+/_.:-])/gi;
/** Keys that open nothing. */
const OPEN_KEYS =
  /(?:idempotency|cache|partition|routing|sort|row|object|primary|foreign|dedup\w*|hash|lookup|shard|message|event|trace|correlation|group|public|map|index|storage|blob|locali[sz]ation|translation|config|metric|cookie|site)[_-]key/i;
/** `with token X` */
const NAMED_TOKENS =
  /((?<![A-Za-z])(?:token|secret|api[ -]key|access key) )([A-Za-z0-9_]{16,512})(?![A-Za-z0-9_.:/-])/gi;
const FOREIGN = new RegExp(
  `((?:${FOREIGN_KEY_WORD})["']?[ \\t]{0,3}[:=：＝][ \\t]{0,3}["']?)([^\\s"',;，；]{3,256})`,
  'giu',
);
/** `the password is X`, `API key was X`. */
const SENTENCES = new RegExp(
  `((?:${KEY_WORD})(?: for [A-Za-z0-9_.-]{1,40})?(?: (?:generated|set|created|reset|changed|updated|assigned))?(?: (?:is|was|are|to|as|ist|lautet))?(?: now| set to| still)?:? ["'\`]?)([^\\s"'\`]{5,256})`,
  'gi',
);
/** `<password>X</password>` */
const ELEMENTS = new RegExp(
  `(<(?:[A-Za-z0-9_.-]{1,40}:)?[A-Za-z0-9_.-]{0,40}(?:${KEY_WORD})>)([^<\\r\\n]{1,512})(?=</)`,
  'gi',
);

const LINE_HEAD = /(?:^|[\r\n])[ \t-]*["']?[\w.-]*$/;

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

/** Resource names are made of such words too: `arn:aws:secretsmanager:eu:123:secret:checkout/db`. */
const isWithinName = (text: string, offset: number, separator: string): boolean =>
  separator === ':' && /[A-Za-z0-9]:$/.test(text.slice(Math.max(0, offset - 2), offset));

/** `PWD=/srv` is a shell's directory, `token_file: /run/token` names a file: a path is no secret. */
const isPath = (value: string): boolean => /^(?:\.{0,2}\/)[\w.-]+(?:\/[\w.-]+)*\/?$/.test(value);

export const redactPairs: Step = (text, mark) =>
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
      const offset = rest[0] as number;
      if (isPlainValue(value)) return whole;
      if (/^pwd$/i.test(key) && isPath(value)) return whole;
      if (isWithinName(text, offset, separator)) return whole;
      if (quoted === undefined && isProse(text, offset, separator, value)) return whole;
      return `${key}${keyQuote}${separator}${quote}${mark(secretClassOf(key) ?? 'secret', value)}${quote}`;
    },
  );

const isNumber = (value: string): boolean => /^[\d.]+(?:ms|s|m|h|d|%)?$/.test(value);

export const redactShortNames: Step = (text, mark) => {
  const replaced = (whole: string, head: string, secret: string) =>
    isPlainValue(secret) || isNumber(secret) || isPath(secret) ? whole : `${head}${mark('password', secret)}`;
  return text
    .replace(SHORT_NAMES, (whole, name: string, separator: string, secret: string) =>
      replaced(whole, `${name}${separator}`, secret),
    )
    .replace(SHORT_LINES, replaced)
    .replace(SHORT_MEMBERS, (whole, head: string, _: string, secret: string) => replaced(whole, head, secret))
    .replace(REGISTRY_AUTH, (whole, head: string, _: string, secret: string) =>
      isDockerAuth(secret) ? `${head}${mark('password', secret)}` : whole,
    )
    .replace(WEAK_NAMES, (whole, head: string, secret: string) =>
      OPEN_KEYS.test(head) || !looksRandom(secret) ? whole : `${head}${mark('key', secret)}`,
    )
    .replace(NAMED_TOKENS, (whole, head: string, secret: string) =>
      looksRandom(secret) && secret.replace(/\D/g, '').length >= 4
        ? `${head}${mark('token', secret)}`
        : whole,
    );
};

export const redactForeign: Step = (text, mark) =>
  text.replace(FOREIGN, (whole, head: string, secret: string) =>
    isPlainValue(secret) || (!looksSecret(secret) && !/^[A-Za-z]{5,}$/.test(secret))
      ? whole
      : `${head}${mark('password', secret)}`,
  );

export const redactSentences: Step = (text, mark) =>
  text.replace(SENTENCES, (whole, head: string, secret: string) => {
    const [value = ''] = /^.*[^.,;:!)]/.exec(secret) ?? [];
    if (isPlainValue(value) || !(looksRandom(value) || (/\d/.test(value) && looksSecret(value))))
      return whole;
    return `${head}${mark('secret', value)}${secret.slice(value.length)}`;
  });

export const redactElements: Step = (text, mark) =>
  text.replace(ELEMENTS, (whole, head: string, secret: string) =>
    isPlainValue(secret.trim()) ? whole : `${head}${mark('secret', secret)}`,
  );

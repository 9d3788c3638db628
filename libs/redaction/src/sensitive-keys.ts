/** Names, or endings of names, whose value is a secret whatever it looks like. Lower case, separators removed. */
const SENSITIVE_ENDINGS = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'accountkey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'sharedkey',
  'secretkey',
  'credential',
  'credentials',
  'authorization',
  'setcookie',
  'cookie',
];

/** What the tag calls a secret that was found by its name. */
const CLASS_OF_ENDING: readonly (readonly [RegExp, string])[] = [
  [/(password|passwd|passphrase|pwd)$/, 'password'],
  [/token$/, 'token'],
  [/key$/, 'key'],
  [/cookie$/, 'cookie'],
  [/authorization$/, 'authorization'],
];

const normalised = (name: string): string => name.toLowerCase().replace(/[-_.\s]/g, '');

/** The class of secret that a member of this name holds, or undefined for an ordinary name. */
export const secretClassOf = (name: string): string | undefined => {
  const text = normalised(name.slice(-64));
  if (text === 'pwd' || text === 'oldpwd') return name === name.toUpperCase() ? undefined : 'password';
  if (!SENSITIVE_ENDINGS.some((ending) => text.endsWith(ending))) return undefined;
  return CLASS_OF_ENDING.find(([pattern]) => pattern.test(text))?.[1] ?? 'secret';
};

const PLAIN_WORDS = new Set([
  ...[
    '',
    'true',
    'false',
    'null',
    'none',
    'nil',
    'undefined',
    'yes',
    'no',
    'on',
    'off',
    'n/a',
    'empty',
    'unset',
  ],
  ...[
    'required',
    'optional',
    'missing',
    'expired',
    'invalid',
    'incorrect',
    'wrong',
    'rejected',
    'denied',
    'rotated',
  ],
  ...[
    'changed',
    'disabled',
    'enabled',
    'unknown',
    'not',
    'is',
    'was',
    'must',
    'has',
    'for',
    'bearer',
    'basic',
  ],
]);

/** A state, a reference or an existing mark: text that stands where a secret would, and is none. */
export const isPlainValue = (value: string): boolean =>
  PLAIN_WORDS.has(value.toLowerCase().replace(/[.,;!]+$/, '')) ||
  /^(\*+|x{3,}|\.{3,}|<[^<>]{0,64}>|\[REDACTED\b.*|\$\{.*|\$\(.*|\{\{.*|%s|\$\d+|\?)$/i.test(value);

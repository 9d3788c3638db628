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
  'secretkeybase',
  'unsealkey',
  'clientkey',
  'clientkeydata',
  'consumerkey',
  'licensekey',
  'recoverykey',
  'webhookkey',
  'appkey',
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

/** `pass` and `pw` end many names; as a word of its own at the end of one they announce a password. */
export const isShortSecretName = (name: string): boolean =>
  /^(?:pass|pw)$|[_.-](?:pass|pw)$|[a-z0-9]P(?:ass|w)$/i.test(name.slice(-64)) &&
  !/^(?:by|com)pass$/i.test(name);

/** `{"auths":{"registry":{"auth":"..."}}}`: base64 of user and password. */
export const isDockerAuth = (value: string): boolean =>
  /^[A-Za-z0-9+/]{8,2048}={0,2}$/.test(value) &&
  /^[\x21-\x39\x3b-\x7e]{1,128}:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));

/** Not a word: a digit or a character that words do not have. */
export const looksSecret = (value: string): boolean =>
  value.length >= 6 && /[0-9]|[^A-Za-z0-9_.,:;!?()-]/.test(value);

/** Letters and digits in a mixture that no word, number or name of an object has. */
export const looksRandom = (value: string): boolean =>
  value.length >= 12 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  /^[A-Za-z0-9+/=_~.!@#$%^&*-]+$/.test(value);

/** A state, a reference or an existing mark: text that stands where a secret would, and is none. */
export const isPlainValue = (value: string): boolean =>
  PLAIN_WORDS.has(value.toLowerCase().replace(/[.,;!]+$/, '')) ||
  /^(\*+|x{3,}|\.{3,}|<[^<>]{0,64}>|\[REDACTED[^\]\s]*\]?|\$\{.*|\$\(.*|\{\{.*|%s|\$\d+|\?)$/i.test(value);

import { createHmac } from 'node:crypto';

/** Every mark starts so; no quote of evidence may reach across one. */
export const REDACTION_MARK_START = '[REDACTED:';

/** Matches a whole mark, e.g. `[REDACTED:password:ab12:s]`; facts of earlier versions hold marks without the length. */
export const REDACTION_MARK = /\[REDACTED:[a-z-]{1,24}:[0-9a-f]{4}(?::(?:xs|s|m|l|xl))?\]/g;

/** Upper bounds in UTF-16 units: a PIN, a password, a key, a token, a document. */
const LENGTH_CLASSES = [
  [8, 'xs'],
  [16, 's'],
  [32, 'm'],
  [64, 'l'],
] as const;

/** How long a secret is, as far as an operator needs it: an empty or a cut one shows, its exact length does not. */
export const lengthClassOf = (secret: string): string =>
  LENGTH_CLASSES.find(([below]) => secret.length < below)?.[1] ?? 'xl';

/**
 * A mark that is equal for equal secrets under one key, so that two mentions can be recognised as one. Sixteen bits of
 * a keyed hash: enough to compare within a run, too little to recover a secret of any strength.
 */
export const redactionMark = (key: string, secretClass: string, secret: string): string => {
  const tag = createHmac('sha256', key).update(secret).digest('hex').slice(0, 4);
  return `${REDACTION_MARK_START}${secretClass}:${tag}:${lengthClassOf(secret)}]`;
};

import { createHmac } from 'node:crypto';

/** Every mark starts so; no quote of evidence may reach across one. */
export const REDACTION_MARK_START = '[REDACTED:';

/** Matches a whole mark, e.g. `[REDACTED:password:ab12]`. */
export const REDACTION_MARK = /\[REDACTED:[a-z-]{1,24}:[0-9a-f]{4}\]/g;

/**
 * A mark that is equal for equal secrets under one key, so that two mentions can be recognised as one. Sixteen bits
 * of a keyed hash: enough to compare within a run, too little to confirm a guess.
 */
export const redactionMark = (key: string, secretClass: string, secret: string): string => {
  const tag = createHmac('sha256', key).update(secret).digest('hex').slice(0, 4);
  return `${REDACTION_MARK_START}${secretClass}:${tag}]`;
};

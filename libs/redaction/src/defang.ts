import { breakControlTokens } from './control-tokens';
import { defangLinks } from './defang-links';
import { showUnseen } from './unseen-characters';

/** What any of the three could find; most texts hold nothing of it. */
const HINT =
  /[<[!:\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uDB40]|www\.|(?:src|href|action|srcset)\s{0,3}=/i;

/**
 * Text from outside as text and nothing else: no link, no token of a chat template, nothing unseen. Every character that
 * a person would read is still there. Doing it twice changes nothing more.
 */
export const defang = (text: string): string =>
  HINT.test(text) ? defangLinks(breakControlTokens(showUnseen(text))) : text;

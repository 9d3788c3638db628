/**
 * Characters that change what a reader sees without being seen: directions of writing, zero width, tags. Models read
 * them; people do not. They become visible, so that both read the same.
 */
const UNSEEN =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDFFF]/g;
/** Joiners belong to some scripts and to emoji; between Latin letters or digits they only hide. */
const JOINERS = /(?<=[\x21-\x7E])[\u200C\u200D](?=[\x21-\x7E])/g;

const shown = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

export const showUnseen = (text: string): string => text.replace(UNSEEN, shown).replace(JOINERS, shown);

import type { Item, Objection } from './judge-request';
import { claimsIn } from './concepts';

const CAUSAL =
  /\b(?:because|caused?(?: by)?|causes|causing|due to|leads? to|led to|results? in|resulted (?:in|from)|root cause|as a result|therefore|consequently|triggers?|triggered|brought about|stems? from|responsible for|explains?)\b/i;
const HEDGE =
  /\b(?:probabl[ey]|likely|may|might|could|suggests?|suspected|possibl[ey]|appears?|seems?|points? to|consistent with|not (?:certain|proven|established)|is no cause|not the cause|did not cause)\b/i;
const NO_CAUSE =
  /\b(?:no|not|without|inconclusive|cannot|could not|nothing)\b.{0,60}\b(?:cause|fault|single)/i;
/** Evidence that tells when: instants, epochs, change points. */
const DATED = /\d{4}-\d\d-\d\dT\d\d:\d\d|"(?:at|time|from|startsAt|since|changePoints?)":|\b1[5-9]\d{8}\b/;

/** What is quoted is somebody else's wording, not the item's claim; that it stands in the evidence is checked elsewhere. */
export const ownWords = (text: string): string => text.replace(/[“"][^”"]*[”"]|`[^`]*`/g, ' ');

export const soundsCausal = (text: string): boolean => {
  const own = ownWords(text);
  return CAUSAL.test(own) && !NO_CAUSE.test(own);
};

/** A cause needs a mechanism that the evidence shows, and more than one look at it, or a look that tells when. */
export const causeObjection = (item: Item, focus: string, citations: number): Objection => {
  const mechanisms = claimsIn(item.text).filter(({ concept, negated }) => concept.mechanism && !negated);
  const shown = mechanisms.some(({ concept }) => concept.grounded.test(focus));
  if (!shown) return 'CAUSAL_LEAP';
  return citations >= 2 || DATED.test(focus) ? undefined : 'CAUSAL_LEAP';
};

/** Causal words belong into analyses of kind CAUSE; a correlation may only hint. */
export const kindObjection = (item: Item): Objection => {
  if (item.kind === 'CAUSE' || !soundsCausal(item.text)) return undefined;
  return item.kind === 'CORRELATION' && HEDGE.test(item.text) ? undefined : 'CAUSAL_LEAP';
};

/** "No fault was found": such a conclusion is made of absences, and needs no words of the evidence. */
export const deniesFault = (text: string): boolean =>
  /\bno (?:lasting |single |evident )?(?:fault|problem|incident|root cause)\b/i.test(text);

/** The very sentences: whatever else stands in one with them is a claim, and is judged. */
const RESERVE =
  /(?:^|(?<=\.\s))(?:Something is wrong, as the symptoms below show, but )?the evidence (?:is too thin for a conclusion|does not single out a cause)\.(?:\s+|$)/gi;

/** What a conclusion says besides that it leaves the question open; empty where it says nothing else. */
export const withoutReserve = (text: string): string => text.replaceAll(RESERVE, '').trim();

const LASTING = /\b(?:critical|warning|page|high|error)\b[^.]*\bstill firing\b/i;

/** A conclusion is no stronger than what it binds: a cause needs a CAUSE, a CORRELATION allows a hedged one. */
export const conclusionObjection = (item: Item, bound: readonly Item[]): Objection => {
  if (deniesFault(item.text))
    return bound.some(({ kind, text }) => kind === 'CAUSE' || LASTING.test(text))
      ? 'CONTRADICTED'
      : undefined;
  if (!soundsCausal(item.text)) return undefined;
  if (bound.some(({ kind }) => kind === 'CAUSE')) return undefined;
  return bound.some(({ kind }) => kind === 'CORRELATION') && HEDGE.test(item.text) ? undefined : 'OVERSTATED';
};

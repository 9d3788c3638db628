import { createRedactor } from '@inquest/redaction/redactor';
import { toPointer } from '../json-pointer';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';
import { forbiddenLink, hasFalseLetters, isLive, unseenCharacter } from '../unsafe-text';

/** Only whether something is a secret is asked, so that the key of the marks is of no matter. */
const redactor = createRedactor('evidence-rules', { emails: false });

/** The way to a string, from its end: thousands are noted and almost none is ever written out. */
type Way = { key: string; from: Way } | null;
type Place = { way: Way; text: string };

/** Members that people read as sentences, and may follow a link of. */
const PROSE: ReadonlySet<string> = new Set(['text', 'cause']);

const collect = (value: unknown, way: Way, places: Place[]): Place[] => {
  if (typeof value === 'string') places.push({ way, text: value });
  else if (value !== null && typeof value === 'object')
    for (const [key, member] of Object.entries(value)) collect(member, { key, from: way }, places);
  return places;
};

const isProse = (way: Way): boolean => way !== null && PROSE.has(way.key);

const pointerOf = (way: Way): string => {
  const segments: string[] = [];
  for (let at = way; at; at = at.from) segments.unshift(at.key);
  return toPointer(segments);
};

/** Strings in one go: a draft has thousands, and almost none of them holds anything of the kind. */
const BLOCK_CHARS = 4_096;

function* blocksOf(places: readonly Place[]): Generator<Place[]> {
  let block: Place[] = [];
  let chars = 0;
  for (const place of places) {
    block.push(place);
    chars += place.text.length;
    if (chars < BLOCK_CHARS) continue;
    yield block;
    [block, chars] = [[], 0];
  }
  if (block.length > 0) yield block;
}

/** What is wrong with a string wherever it stands; links of prose are looked at on their own. */
const TROUBLES: readonly ((text: string) => string | null)[] = [
  unseenCharacter,
  (text) => (hasFalseLetters(text) ? 'a word of two alphabets' : null),
  (text) => (holdsSecret(text) ? 'what looks like a secret' : null),
];

const typedTrouble = (text: string): string | null =>
  isLive(text) ? 'what a reader or a renderer would follow' : null;

const holdsSecret = (text: string): boolean => redactor.redactText(text).count > 0;

/**
 * Blank lines keep what stands at the end of one string from being read as the key of the next. Where the block is clean, so
 * is each of its strings; where it is not, each is looked at alone.
 */
const SEPARATOR = '\n\n';

function* textFindings(places: readonly Place[]): Generator<Finding> {
  for (const block of blocksOf(places)) {
    const joined = block.map(({ text }) => text).join(SEPARATOR);
    if ([...TROUBLES, typedTrouble].every((trouble) => trouble(joined) === null)) continue;
    for (const { way, text } of block) {
      const troubles = isProse(way) ? TROUBLES : [...TROUBLES, typedTrouble];
      for (const trouble of troubles) {
        const what = trouble(text);
        if (what) yield { path: pointerOf(way), message: `the text holds ${what}` };
      }
    }
  }
}

export const unsafeText: Rule = {
  id: '37 UNSAFE_TEXT',
  meaning:
    'Nothing that hides from a reader or passes for something else, leads a renderer elsewhere, or is a secret; in no text and no typed member.',
  severity: 'HARD',
  *check({ input, reading, ledger }): Generator<Finding> {
    const seen = new Set<string>();
    const places = collect(reading.diagnosis ?? reading.answer, null, []).filter(({ text }) => {
      // An id of the ledger was not written by the model; what is said twice is found at its first place.
      if (seen.has(text) || ledger.byId.has(text)) return false;
      seen.add(text);
      return true;
    });
    yield* textFindings(places);
    for (const { path, text, id } of proseItems(reading)) {
      const link = forbiddenLink(text, input.linkHosts ?? []);
      if (link) yield { path, analysisId: id, message: `the text holds ${link}: name the place in words` };
    }
  },
};

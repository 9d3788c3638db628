import { foldText } from '../fold-text';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';

const ECHO_WORDS = 12;
/** Of any echo, one of these pieces lies whole inside it: half its length, at every half. */
const PIECE_WORDS = ECHO_WORDS / 2;

const echoes = (words: readonly string[], text: string): boolean => {
  const holds = (from: number, to: number) => text.includes(words.slice(from, to).join(' '));
  for (let at = 0; at + PIECE_WORDS <= words.length; at += PIECE_WORDS) {
    if (!holds(at, at + PIECE_WORDS)) continue;
    const first = Math.max(0, at - PIECE_WORDS);
    for (let from = first; from <= at && from + ECHO_WORDS <= words.length; from += 1)
      if (holds(from, from + ECHO_WORDS)) return true;
  }
  return false;
};

export const telemetryEcho: Rule = {
  id: '36 TELEMETRY_ECHO',
  meaning:
    "Advice that repeats a dozen words of a tool's output may be an instruction that was planted there.",
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (item.section !== 'recommendation' && item.section !== 'actionPlan') continue;
      const words = foldText(item.text).trim().split(' ');
      if (words.length < ECHO_WORDS) continue;
      // Of any output: what was planted in one is not said less for being bound to another.
      const source = view.ledger.calls.find(({ index }) => index?.someFolded((text) => echoes(words, text)));
      if (source)
        yield { path: item.path, toolCallId: source.toolCallId, message: 'repeats a passage of this output' };
    }
  },
};

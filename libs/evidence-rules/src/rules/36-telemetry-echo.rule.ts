import { commandStems, stemsIn } from '../command-stems';
import { foldText } from '../fold-text';
import { KNOWLEDGE_TOOL, type Call } from '../ledger-view';
import { plainLetters } from '../plain-letters';
import { proseItems, type ProseItem } from '../prose-items';
import type { DraftView, Finding, Rule } from '../rule';

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

/** Of the whole ledger: what was planted in one output is not said less for being bound to another. Runbooks are written to be repeated. */
const telemetryOf = ({ ledger }: DraftView): Call[] =>
  ledger.calls.filter(({ tool }) => tool !== KNOWLEDGE_TOOL);

export const telemetryEcho: Rule = {
  id: '36 TELEMETRY_ECHO',
  meaning:
    "Advice that repeats a dozen words of telemetry may be an instruction that was planted there. A runbook's words are advice.",
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    const telemetry = telemetryOf(view);
    for (const item of proseItems(view.reading)) {
      if (item.section !== 'recommendation' && item.section !== 'actionPlan') continue;
      const words = foldText(item.text).trim().split(' ');
      if (words.length < ECHO_WORDS) continue;
      const source = telemetry.find(({ index }) => index?.someFolded((text) => echoes(words, text)));
      if (source)
        yield { path: item.path, toolCallId: source.toolCallId, message: 'repeats a passage of this output' };
    }
  },
};

/** Sections in which people look for what to do. */
const ADVICE: ReadonlySet<ProseItem['section']> = new Set(['actionPlan', 'recommendation', 'limitation']);

/** The first telemetry that gives each of these commands, in whatever letters it does; every output is read once. */
const sourcesOf = (view: DraftView, stems: ReadonlySet<string>): Map<string, Call> => {
  const sources = new Map<string, Call>();
  if (stems.size === 0) return sources;
  for (const call of telemetryOf(view)) {
    call.index?.someFolded((text) => {
      for (const stem of stemsIn(stems, plainLetters(text))) if (!sources.has(stem)) sources.set(stem, call);
      return sources.size === stems.size;
    });
  }
  return sources;
};

/** A passage may be a coincidence, which the judge sees to. A command that changes something is none. */
export const telemetryCommand: Rule = {
  id: '36 TELEMETRY_ECHO',
  meaning:
    'Nobody is advised to run a command that changes, fetches or destroys something because telemetry says so: whoever writes a log line must not get it run.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const advised = proseItems(view.reading)
      .filter(({ section }) => ADVICE.has(section))
      .map((item) => ({ item, stems: commandStems(plainLetters(item.text)) }));
    const sources = sourcesOf(view, new Set(advised.flatMap(({ stems }) => stems)));
    for (const { item, stems } of advised) {
      const source = stems.flatMap((stem) => sources.get(stem) ?? [])[0];
      if (!source) continue;
      yield {
        path: item.path,
        toolCallId: source.toolCallId,
        message: 'advises a command that this output gives: delete it, or say in words what is to be done',
      };
    }
  },
};

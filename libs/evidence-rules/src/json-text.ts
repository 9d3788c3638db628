import { toPointer } from './json-pointer';

export const JSON_DEPTH_MAX = 32;

/** Where a text repeats a key of an object: the pointer of the repeated member. */
export type JsonReading =
  | { kind: 'JSON'; value: unknown; duplicateKeys: string[] }
  | { kind: 'NOT_JSON'; why: 'TOO_LONG' | 'TOO_DEEP' | 'SYNTAX' };

const DUPLICATES_MAX = 16;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index of the quote that closes the string opened at `open`, or -1. */
const closingQuote = (text: string, open: number): number => {
  for (let i = open + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i += 1;
  }
  return -1;
};

const decoded = (literal: string): string => {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
};

type Level = { keys: Set<string> | null; at: string | number };

/**
 * Walks brackets, strings and colons only. The text need not be JSON: what is wrong with it otherwise, JSON.parse
 * finds afterwards, so this pass has to be exact for valid texts and merely bounded for others.
 */
const scanKeys = (text: string): { tooDeep: boolean; duplicateKeys: string[] } => {
  const levels: Level[] = [];
  const duplicateKeys: string[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    const level = levels.at(-1);
    if (char === '{' || char === '[') {
      if (levels.length >= JSON_DEPTH_MAX) return { tooDeep: true, duplicateKeys };
      levels.push({ keys: char === '{' ? new Set() : null, at: 0 });
    } else if (char === '}' || char === ']') {
      levels.pop();
    } else if (char === ',' && level?.keys === null && typeof level.at === 'number') {
      level.at += 1;
    } else if (char === '"') {
      const end = closingQuote(text, i);
      if (end < 0) return { tooDeep: false, duplicateKeys };
      let next = end + 1;
      while (next < text.length && ' \t\r\n'.includes(text[next] as string)) next += 1;
      if (level?.keys && text[next] === ':') {
        const key = decoded(text.slice(i, end + 1));
        level.at = key;
        if (level.keys.has(key) && duplicateKeys.length < DUPLICATES_MAX) {
          duplicateKeys.push(toPointer(levels.map((l) => l.at)));
        }
        level.keys.add(key);
      }
      i = end;
    }
  }
  return { tooDeep: false, duplicateKeys };
};

/**
 * Reads a JSON text as strictly as the guard needs it: JSON.parse keeps the last of two equal keys, so that a reader of
 * the text and a reader of the value could see different reports. Escaped spellings count as equal. Linear in the text.
 */
export const readJson = (text: string, charsMax: number): JsonReading => {
  if (text.length > charsMax) return { kind: 'NOT_JSON', why: 'TOO_LONG' };
  const { tooDeep, duplicateKeys } = scanKeys(text);
  if (tooDeep) return { kind: 'NOT_JSON', why: 'TOO_DEEP' };
  try {
    return { kind: 'JSON', value: JSON.parse(text), duplicateKeys };
  } catch {
    return { kind: 'NOT_JSON', why: 'SYNTAX' };
  }
};

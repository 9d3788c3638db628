const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const THINKING = /^[^]*<\/think(?:ing)?>/i;
const FENCE = /```(?:json)?[ \t]*\r?\n([^]*?)\r?\n?[ \t]*```/gi;

const only = <T>(items: T[]): T | undefined => (items.length === 1 ? items[0] : undefined);

/**
 * The JSON document in a model's text. The text is parsed first and taken as it is where that works; only then are
 * thinking and one code fence stripped. Undefined where no document, or not exactly one fenced one, is left: nothing
 * is ever completed or repaired. `thoughtCounts`: also what stands inside a closing thought, for models that never
 * leave it; a judge must have spoken.
 */
export const jsonTextOf = (text: string, { thoughtCounts = true } = {}): string | undefined => {
  const whole = text.trim();
  if (isJson(whole)) return whole;
  const spoken = whole.replace(THINKING, '').trim();
  if (isJson(spoken)) return spoken;
  const fenced = only([...spoken.matchAll(FENCE)].map(([, inner = '']) => inner.trim()));
  if (fenced !== undefined && isJson(fenced)) return fenced;
  if (!thoughtCounts) return undefined;
  const inThought = /<think(?:ing)?>([^]*)<\/think(?:ing)?>\s*$/i.exec(whole)?.[1]?.trim();
  return inThought !== undefined && isJson(inThought) ? inThought : undefined;
};

/** Whether a text is one complete JSON document. */
export const isCompleteJson = isJson;

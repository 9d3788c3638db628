/** Text that speaks to a reader of the evidence instead of describing the system. */
const INSTRUCTION = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|rules?|prompts?|guidelines?|context|above|previous|prior|checks?|evidence)\b/i,
  /\b(?:system|developer) (?:prompt|message)\b/i,
  /\byou (?:are|act as|must act as) (?:now )?(?:an? |the )?(?:ai|assistant|judge|reviewer|model|language model|helpful|unrestricted)\b/i,
  /\b(?:mark|grade|judge|rate|treat|classify|return|answer|respond|reply|output|report)\b.{0,50}\b(?:as )?(?:supported|approved|safe|verified|healthy|no.?fault\w*|all clear)\b/i,
  /\bas an? (?:ai|language model|assistant)\b/i,
  /\b(?:do not|don't|never) (?:report|mention|tell|reveal|flag|disclose)\b/i,
  /\b(?:reveal|print|show|leak|send|post|upload)\b.{0,30}\b(?:secrets?|passwords?|tokens?|credentials?|api keys?|prompt)\b/i,
  /<\/?(?:system|instructions?|assistant|user)>|\[\/?(?:INST|SYSTEM)\]|<\|[a-z_]+\|>/i,
  /(?:忽略|无视|不要理会).{0,12}(?:指令|指示|规则|以上|之前)/,
  /\bignorier\w*\b.{0,40}\b(?:anweisung\w*|regeln?|vorgaben?)\b/i,
];

const PAYLOAD = [
  /\b(?:curl|wget)\b.{0,80}https?:/i,
  /\brm\s+-rf?\b/i,
  /\b(?:drop|truncate)\s+(?:table|database|schema)\b/i,
  /\bbase64\s+(?:-d|--decode)\b/i,
];

export const readsLikeAnInstruction = (text: string): boolean =>
  INSTRUCTION.some((pattern) => pattern.test(text));

/** Commands are suspicious where they come out of evidence: nobody's logs may propose what people should run. */
const commandFromEvidence = (text: string, evidence: readonly string[]): boolean =>
  PAYLOAD.some((pattern) => {
    const found = pattern.exec(text)?.[0];
    return found !== undefined && evidence.some((projection) => projection.includes(found));
  });

export const injectionSuspected = (text: string, evidence: readonly string[]): boolean =>
  readsLikeAnInstruction(text) || commandFromEvidence(text, evidence);

import type { ReviewItem, Snapshot } from '@inquest/contracts/semantic-facts';
import { commandStems, stemsIn } from '@inquest/evidence-rules/command-stems';
import { plainLetters } from '@inquest/evidence-rules/plain-letters';
import { hasFalseLetters } from '@inquest/evidence-rules/unsafe-text';

/**
 * What no report carries, whoever wrote it and whatever a judge says of it: text that speaks to a model, and advice that
 * repeats what stands in telemetry. Fixed patterns know only what is known; they are the last line, not the first.
 */
export type Planted =
  | 'SPEAKS_TO_A_MODEL'
  | 'ACTIVE_TEXT'
  | 'FALSE_LETTERS'
  | 'FETCHES_AND_RUNS'
  | 'DESTRUCTIVE_ADVICE'
  | 'COMMAND_FROM_EVIDENCE'
  | 'ADVICE_FROM_EVIDENCE';

const SPEAKS_TO_A_MODEL: readonly RegExp[] = [
  // To forget what it was told.
  /\b(?:ignore|disregard|forget|override|bypass|discard)\b(?: \w+){0,3} (?:previous|prior|above|preceding|earlier|foregoing|your|safety|(?:system|original|initial)(?= (?:prompt|message|instruction)))(?: \w+){0,2} (?:instructions?|prompts?|rules|guidelines?|directions|directives?|orders|programming|constraints|training)\b/,
  /\b(?:ignore|disregard|forget) (?:everything|all|anything) (?:above|before|you (?:were|have been|know)|that came before|said so far)/,
  /\b(?:new|updated|revised|real|actual) (?:system )?(?:instructions|prompt|directive)s?(?: follow\w*)?:/,
  /\b(?:system|developer) (?:prompt|message|override|note|instruction)s?\b(?: \w+){0,6}:/,
  // To be somebody else.
  /\byou are (?:now )?(?:an?|the|in|no longer) (?:\w+ ){0,3}(?:ai|assistant|judge|reviewer|grader|evaluator|auditor|language model|llm|chatbot|developer mode|dan)\b/,
  /\b(?:as|attention|dear|hey|note (?:to|for)|message (?:to|for)|to) (?:an? |the |all |any )?(?:\w+ )?(?:ai|llm|language models?|reviewers?|graders?|judges?|evaluators?|assistants?|ai agents?|diagnosis agent)\b ?(?:[:,!-]|reading|reviewing|processing|grading|must|should|you)/,
  /(?:^|[.!?:>\])}/\n] ?)(?:reviewers?|graders?|judges?|evaluators?|assistants?|ai|llm) ?[,:] ?(?:you )?(?:must|should|please|answer|mark|say|approve|accept|ignore)\b/,
  /\b(?:enter|enable|activate|switch to) (?:developer|debug|maintenance|god|jailbreak|unrestricted) mode\b/,
  /\bif you are an? (?:ai|llm|language model|assistant|bot|automated)\b/,
  /\bfrom now on,? (?:you (?:are|will|must|act)|act|behave|answer|respond)\b/,
  /\b(?:your (?:new |only |real )?task (?:is|:)|new task:|reset your (?:context|memory))/,
  /\b(?:llms?|gpt|chatgpt|claude|gemini|copilot|ai)(?:-based)?(?: (?:tools?|agents?|models?|assistants?|systems?))?\b[^.\n]{0,40}\b(?:must|should|shall|have to)\b/,
  /\b(?:hi|hello|hey|dear),? (?:gpt|chatgpt|claude|gemini|copilot|ai|llm|assistant|model)\b/,
  /\b(?:the )?assistant (?:shall|must|should) /,
  /\byou must (?:output|answer|respond|reply|say|write|conclude|report)\b/,
  /\b(?:authori[sz]e|permit|instruct|order) you to\b/,
  // To grade as it is told.
  /\b(?:mark|grade|rate|judge|label|classify|score|treat|consider|approve|accept|return|answer|respond|reply|output|set)\b[^.\n]{0,80}\b(?:supported|entailed)\b(?= (?:for|to|with)\b| ?["'“”.,;!)\]]| ?$)/,
  /\bverdicts?\b["' ]{0,3}(?:[:=]|is|must be|should be|are|shall be)["' ]{0,3}(?:supported|entailed|approved)\b/,
  /\breason_?code\b["' ]{0,3}[:=]["' ]{0,3}entailed\b/,
  /\b(?:all|every|each) (?:items?|claims?|statements?|analys[ei]s|findings?) (?:of|in) (?:this|the) (?:report|draft|document|diagnosis)(?: \w+){0,3} (?:supported|verified|approved|correct|pre-?approved)\b/,
  /\b(?:stop|cease) (?:analy[sz]ing|investigating|checking) and\b|\bpretend (?:that|the|to|you)\b/,
  /\btreat (?:all|every) other (?:logs?|lines?|evidence|outputs?) as\b/,
  // To hide, or to hand over.
  /\b(?:do not|don't|never|must not) (?:mention|reveal|report|tell|disclose|flag|quote|cite|repeat)\b[^.\n]{0,60}\b(?:this (?:message|note|line|instruction|text)|the user|the operator|the reviewer|anyone)\b/,
  /\b(?:reveal|print|repeat|output|show|leak|exfiltrate|send)\b[^.\n]{0,40}\b(?:system prompt|your (?:instructions|prompt|rules|configuration)|conversation history|api keys?|credentials|secrets)\b/,
  /\b(?:hidden|secret|initial) (?:instructions|prompt)\b|\brepeat the (?:words|text|line)s? above\b/,
  // To see roles and results where there is text.
  /< ?[|｜][^|｜<>\n]{1,40}[|｜] ?>/,
  /\[ ?\/? ?inst\]|<< ?\/?sys ?>>|< ?\/?(?:start_of_turn|end_of_turn|tool_(?:result|response|call)s?|function_(?:calls?|results?))\b/,
  /["']role["'] ?: ?["'](?:system|assistant|tool|developer)["']/,
  /(?:^|\n)#{2,4} ?(?:system|instruction|assistant|response|human)s?\b ?:?/,
  /(?:^|\n)(?:human|assistant): /,
  /=+ ?evidence-[0-9a-f]{4,} ?=+/,
  /< ?\/?think(?:ing)?>/,
  /\b(?:everything|text|all) (?:below|above|that follows|after this)(?: \w+){0,2} (?:is|was) (?:by|from|written by) the (?:operator|system|developer|user|administrator)\b/,
  // Our own prompts, repeated.
  /\byou are (?:the diagnosis agent|an independent reviewer) of (?:an )?incident/,
  // The same in other languages.
  /(?:忽略|无视|無視|不要理会|忘记)[^。\n]{0,16}(?:指令|指示|规则|提示|以上|之前)/,
  /\b(?:ignoriere?|vergiss|missachte)\b[^.\n]{0,50}\b(?:anweisung\w*|regeln|vorgaben|instruktion\w*)\b/,
  /\b(?:ignora|olvida|omite)\b[^.\n]{0,50}\b(?:instrucciones|reglas|indicaciones)\b/,
  /\b(?:ignore[zs]?|oublie[zs]?)\b[^.\n]{0,50}\b(?:consignes|regles|precedentes)\b/,
  /(?:игнорируи|забудь|не обращаи)[^.\n]{0,50}(?:инструкци|правил|указани)/,
];

/** Our own wire, forged within a text. The projections of tools are made of it, so that a quote of one may hold it. */
const FORGED_WIRE: readonly RegExp[] = [
  /"(?:snapshothash|validtoolcallids|evidencestatus|item_id|reason_code|toolcallid|analysisids|scope_hash)" ?:/,
  /"(?:kind" ?: ?"(?:repair|judge|question|conclude|rejected)|conclusion" ?: ?\{|tool" ?: ?"(?:search_logs|list_objects|describe_object|list_metrics|query_metric|active_alerts|service_dependencies|knowledge_lookup))/,
];

/** Encodings that people do not read and models do. Each text in a text is looked at once, whatever it holds in turn. */
const decodedIn = (text: string): string[] => {
  const base64 = (text.match(/[A-Za-z0-9+/_-]{16,4096}={0,2}/g) ?? []).map((piece) =>
    Buffer.from(piece, 'base64').toString('utf8'),
  );
  const percent = /%[0-9a-f]{2}/i.test(text)
    ? [text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))]
    : [];
  return [...base64, ...percent].filter((piece) => /[a-z]{3}/i.test(piece));
};

const speaks = (text: string): boolean => {
  const plain = plainLetters(text);
  // Cyrillic look-alikes are folded to Latin ones; the Russian pattern needs the letters as they were.
  const cyrillic = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return SPEAKS_TO_A_MODEL.some((pattern) => pattern.test(plain) || pattern.test(cyrillic));
};

export const speaksToAModel = (text: string): boolean => speaks(text) || decodedIn(text).some(speaks);

/** What a renderer follows, fetches or runs. Links to allowed hosts are the EvidenceGuard's matter, and stand in prose only. */
const ACTIVE =
  /(?<![A-Za-z])(?:mailto|tel|sms|javascript|vbscript|slack|zoommtg|vscode[a-z-]*|ms-[a-z]+):(?=\S)|(?<![A-Za-z])data:(?:text|image|application)\/|!\[|\]\(\s*\/\/|<(?:img|a|script|iframe|object|embed|svg|form)[\s/>]/i;
const LINK = /(?<![A-Za-z])(?:https?|ftps?|wss?|file):\/\/|(?<![\w.])www\.[a-z0-9-]+\./i;
const PROSE: ReadonlySet<string> = new Set(['text', 'cause']);

const FETCHES_AND_RUNS =
  /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}(?:\||;|&&)\s?(?:sudo )?(?:ba|z|k|da)?sh\b|\b(?:ba|z|k)?sh\b[^\n]{0,20}<\(\s?(?:curl|wget)\b|\biex\b[^\n]{0,40}(?:downloadstring|iwr|invoke-webrequest)/;

/** Nobody takes such advice from a report, whoever gives it. */
const DESTRUCTIVE: readonly RegExp[] = [
  /\brm (?:-[a-z]+ )*-[a-z]*r/,
  /\b(?:drop|truncate) (?:table|database|schema|stream)\b/,
  /\bdelete (?:\S+ )?(?:ns|namespaces?|pvcs?|pvs?|persistentvolume\w*|crds?|nodes?)\b|\bdelete\b[^\n.]{0,60} --all\b/,
  /\b(?:clusterrolebinding|cluster-admin|system:unauthenticated|system:anonymous)\b/,
  /\bchmod (?:-\w+ )?[0-7]?777\b|\bmkfs|\bdd [^\n]{0,40}of=\/dev|\bsetenforce 0|\biptables -f\b/,
  /\b(?:flushall|flushdb)\b|--insecure-skip-tls-verify|\b(?:disable|turn off|scale)\b[^\n.]{0,60}\b(?:\w+-)?(?:evidence|semantic)-?guard\b/,
];

/** Sections in which people look for what to do. */
const ADVICE: ReadonlySet<ReviewItem['section']> = new Set(['actionPlan', 'recommendation', 'limitation']);
const ECHO_FLAG = 'attention: 36 TELEMETRY_ECHO';

/** Runbooks are written to be repeated; nobody's telemetry is. */
const telemetryOf = (snapshot: Snapshot): string[] =>
  snapshot.evidence
    .filter(({ tool }) => tool !== 'knowledge_lookup')
    .map(({ projection }) => plainLetters(projection.replaceAll('\\"', '"')));

const plantedAdvice = (item: ReviewItem, telemetry: () => readonly string[]): Planted | undefined => {
  if (!ADVICE.has(item.section)) return undefined;
  const text = plainLetters(item.text);
  if (DESTRUCTIVE.some((pattern) => pattern.test(text))) return 'DESTRUCTIVE_ADVICE';
  const stems = new Set(commandStems(text));
  if (stems.size > 0 && telemetry().some((output) => stemsIn(stems, output).size > 0))
    return 'COMMAND_FROM_EVIDENCE';
  return item.flags.includes(ECHO_FLAG) ? 'ADVICE_FROM_EVIDENCE' : undefined;
};

type Told = { key: string; text: string };

function* stringsOf(value: unknown, key = ''): Generator<Told> {
  if (typeof value === 'string') yield { key, text: value };
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value))
      yield* stringsOf(member, Array.isArray(value) ? key : name);
}

const reportOf = ({ report }: Snapshot): unknown => {
  try {
    return JSON.parse(report);
  } catch {
    return report;
  }
};

const plantedString = ({ key, text }: Told): Planted | undefined => {
  if (speaksToAModel(text)) return 'SPEAKS_TO_A_MODEL';
  if (FORGED_WIRE.some((pattern) => pattern.test(plainLetters(text)))) return 'SPEAKS_TO_A_MODEL';
  if (ACTIVE.test(text) || (!PROSE.has(key) && LINK.test(text))) return 'ACTIVE_TEXT';
  if (hasFalseLetters(text)) return 'FALSE_LETTERS';
  return FETCHES_AND_RUNS.test(plainLetters(text)) ? 'FETCHES_AND_RUNS' : undefined;
};

/** Why this snapshot may not be released, or undefined. */
export const plantedIn = (snapshot: Snapshot): Planted | undefined => {
  const told = [...stringsOf(reportOf(snapshot))];
  for (const each of told) {
    const planted = plantedString(each);
    if (planted !== undefined) {
      return planted;
    }
  }
  // Payloads come in pieces, too.
  if (speaks(told.map(({ text }) => text).join(' '))) return 'SPEAKS_TO_A_MODEL';
  let known: readonly string[] | undefined;
  const telemetry = () => (known ??= telemetryOf(snapshot));
  for (const item of snapshot.items) {
    const planted = plantedAdvice(item, telemetry);
    if (planted !== undefined) return planted;
  }
  return undefined;
};

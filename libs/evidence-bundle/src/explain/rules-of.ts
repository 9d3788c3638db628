import type { Ground } from '@inquest/contracts/explanation';
import type { Intent } from '@inquest/contracts/outcome';
import type { ReviewItem } from '@inquest/contracts/semantic-facts';
import { RULES } from '@inquest/evidence-rules/rules';

/** Rules that are no members of the guard's list but hold every draft that it accepts. */
const BESIDE_THE_LIST = ['44 SNAPSHOT'];

const KNOWN: readonly string[] = [...new Set([...RULES.map(({ id }) => id), ...BESIDE_THE_LIST])].sort(
  (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
);

const known = (ids: readonly string[]): string[] => KNOWN.filter((id) => ids.includes(id));

const OF_GROUND: Record<Ground['kind'], readonly string[]> = {
  QUOTE: ['30 QUOTE_FIELD', '41 RAG_FACT'],
  FACT: ['24 FACT_PATH', '25 FACT_VALUE', '26 UNIT', '34 CONTRADICTION_LOCAL'],
  DERIVED: ['27 DERIVED', '26 UNIT'],
  ENTITY: ['32 ENTITY'],
  NUMBER: ['28 PROSE_NUMBER', '29 HEDGE'],
  DOCUMENT: ['38 RAG_SINGLE_LOOKUP', '39 RAG_DOC_ID'],
  CALL: ['6 UNKNOWN_ID', '7 NOT_READY', '8 LEDGER_INTEGRITY', '11 ERROR_AS_EVIDENCE', '12 NO_EVIDENCE_KIND'],
};
/** An answer's numbers and quotes are held to the cited documents by one rule of their own. */
const ANSWER_RULE = '41 RAG_FACT';

export const rulesOfGround = (kind: Ground['kind'], section: ReviewItem['section']): string[] =>
  section === 'answer' && (kind === 'NUMBER' || kind === 'QUOTE')
    ? known([ANSWER_RULE])
    : known(OF_GROUND[kind].filter((id) => id !== ANSWER_RULE));

/** What holds a text to the analyses that it rests on, besides the rules over their own evidence. */
export const BORROWING_RULE = '10 ORPHAN_TEXT';

/** What of an item decides which rules have something to look at. */
export type Traits = {
  section: ReviewItem['section'];
  kind: ReviewItem['kind'];
  hasScope: boolean;
  grounds: ReadonlySet<Ground['kind']>;
  isRepaired: boolean;
  intent: Intent;
};

const isAnalysis = ({ section }: Traits): boolean => section === 'analysis';
const isNegative = ({ kind }: Traits): boolean => kind === 'NEGATIVE_OBSERVATION';
const isAnswer = ({ section }: Traits): boolean => section === 'answer';
const bindsAnalyses = ({ section }: Traits): boolean =>
  ['conclusion', 'actionPlan', 'recommendation', 'candidate'].includes(section);
const cites = ({ section }: Traits): boolean => ['analysis', 'limitation', 'answer'].includes(section);
const isProse = (traits: Traits): boolean => !isAnswer(traits);
const has =
  (kind: Ground['kind']) =>
  ({ grounds, section }: Traits): boolean =>
    grounds.has(kind) && section !== 'answer';

/** Which items a rule has something to look at in. A rule that is not here looks at the draft as a whole. */
const LOOKS_AT: Readonly<Record<string, (traits: Traits) => boolean>> = {
  '3 ANALYSIS_ID': isAnalysis,
  '4 KIND': isAnalysis,
  '5 NO_CITATION': isAnalysis,
  '6 UNKNOWN_ID': cites,
  '7 NOT_READY': isAnalysis,
  '9 CONCLUSION_BINDING': bindsAnalyses,
  '10 ORPHAN_TEXT': (traits) => bindsAnalyses(traits) || traits.section === 'limitation',
  '11 ERROR_AS_EVIDENCE': isAnalysis,
  '12 NO_EVIDENCE_KIND': isAnalysis,
  '13 NEGATIVE_MIXED': isNegative,
  '14 NEGATIVE_SCOPE': isNegative,
  '15 NEGATIVE_COVERAGE': isNegative,
  '16 NEGATIVE_VALIDITY': isNegative,
  '17 UNIVERSAL': (traits) => isAnalysis(traits) && !isNegative(traits),
  '18 CAUSAL_FROM_ABSENCE': ({ kind }) => kind === 'CAUSE',
  '19 SCOPE_ENTITY': (traits) => traits.hasScope,
  '20 WINDOW': (traits) => traits.hasScope,
  '21 TIME_ZONE': isAnalysis,
  '22 ORDER': isAnalysis,
  '23 FRESHNESS': isAnalysis,
  '24 FACT_PATH': has('FACT'),
  '25 FACT_VALUE': has('FACT'),
  '26 UNIT': (traits) => has('FACT')(traits) || has('DERIVED')(traits),
  '27 DERIVED': has('DERIVED'),
  '28 PROSE_NUMBER': isProse,
  '29 HEDGE': isProse,
  '30 QUOTE_FIELD': has('QUOTE'),
  '31 PROSE_QUOTE': isProse,
  '32 ENTITY': has('ENTITY'),
  '33 ENTITY_PROSE': isProse,
  '34 CONTRADICTION_LOCAL': has('FACT'),
  '35 SINGLE_UNTRUSTED_SOURCE': ({ kind }) => kind === 'CAUSE',
  '36 TELEMETRY_ECHO': ({ section }) => ['recommendation', 'actionPlan', 'limitation'].includes(section),
  '37 UNSAFE_TEXT': () => true,
  '38 KNOWLEDGE_ALONE': ({ kind }) => kind === 'OBSERVATION' || kind === 'CAUSE',
  '38 RAG_SINGLE_LOOKUP': isAnswer,
  '39 RAG_DOC_ID': isAnswer,
  '40 RAG_EMPTY': isAnswer,
  '41 RAG_FACT': isAnswer,
  '42 REPAIR_MONOTONE': ({ isRepaired }) => isRepaired,
};

export const rulesOfItem = (traits: Traits): string[] =>
  KNOWN.filter((id) => LOOKS_AT[id]?.(traits) ?? false);

export const wholeDraftRules = (): string[] => KNOWN.filter((id) => LOOKS_AT[id] === undefined);

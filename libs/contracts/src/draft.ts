import { z } from 'zod';
import { ToolCallId } from './ids';
import { Scope, Window } from './scope';

const Text = z.string().min(1).max(2_000);
const itemId = (letter: string) => z.string().regex(new RegExp(`^${letter}[0-9]{1,4}$`));
const AnalysisId = itemId('a');
const AnalysisIds = z.array(AnalysisId).min(1).max(50);
const JsonPointer = z
  .string()
  .max(300)
  .regex(/^(\/([^~/]|~[01])*)*$/);
const Scalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);

export const AnalysisKind = z.enum(['OBSERVATION', 'CORRELATION', 'CAUSE', 'NEGATIVE_OBSERVATION']);
export type AnalysisKind = z.infer<typeof AnalysisKind>;

export const ConclusionStatus = z.enum([
  'ROOT_CAUSE_IDENTIFIED',
  'PROBABLE_CAUSE',
  'INCONCLUSIVE',
  'NO_FAULT_FOUND',
]);
export type ConclusionStatus = z.infer<typeof ConclusionStatus>;

/** How a fact's value is compared with the projection (rule 25): `rounded(2)`, `sig(3)`, `range`, `count`, `exact`. */
export const ValuePolicy = z.string().regex(/^(exact|range|count|rounded\([0-6]\)|sig\([1-9]\))$/);

/** A value read at a JSON pointer of one cited projection. For `range`, value is `[low, high]`; for `count`, the length of the array there. */
export const Fact = z.strictObject({
  toolCallId: ToolCallId,
  path: JsonPointer,
  value: z.union([Scalar, z.tuple([z.number(), z.number()])]),
  unit: z.string().max(20).optional(),
  policy: ValuePolicy,
});
export type Fact = z.infer<typeof Fact>;

export const Quote = z.strictObject({
  toolCallId: ToolCallId,
  path: JsonPointer.optional(),
  quote: z.string().min(8).max(500),
});
export type Quote = z.infer<typeof Quote>;

export const Entity = z.strictObject({
  type: z.enum([
    'service',
    'workload',
    'pod',
    'node',
    'namespace',
    'metric',
    'alert',
    'host',
    'database',
    'other',
  ]),
  name: z.string().min(1).max(253),
  toolCallId: ToolCallId,
});
export type Entity = z.infer<typeof Entity>;

/** A number that stands in no projection, with the operation that yields it (rule 27). */
export const DerivedValue = z.strictObject({
  op: z.enum(['diff', 'sum', 'ratio', 'pct_change', 'mean', 'max', 'min', 'count']),
  operands: z
    .array(z.strictObject({ toolCallId: ToolCallId, path: JsonPointer }))
    .min(1)
    .max(20),
  value: z.number(),
  unit: z.string().max(20).optional(),
  policy: ValuePolicy,
});
export type DerivedValue = z.infer<typeof DerivedValue>;

/** A claim narrower than, or equal to, the cited query's scope. */
export const ClaimScope = Scope.extend({ window: Window.optional() });
export type ClaimScope = z.infer<typeof ClaimScope>;

export const Analysis = z.strictObject({
  id: AnalysisId,
  kind: AnalysisKind,
  text: Text,
  toolCallIds: z.array(ToolCallId).min(1).max(20),
  scope: ClaimScope.optional(),
  facts: z.array(Fact).max(40).optional(),
  quotes: z.array(Quote).max(20).optional(),
  entities: z.array(Entity).max(40).optional(),
  derived: z.array(DerivedValue).max(20).optional(),
});
export type Analysis = z.infer<typeof Analysis>;

/** A ranked cause in a closed vocabulary, for evaluation and for machines; binds one CAUSE or CORRELATION. */
export const Candidate = z.strictObject({
  rank: z.number().int().min(1).max(10),
  object: z.string().min(1).max(253),
  cause: z.string().min(1).max(200),
  analysisId: AnalysisId,
});
export type Candidate = z.infer<typeof Candidate>;

/** What the Diagnosis Agent writes, and, once both guards passed it, what is released byte for byte (H4). */
export const DiagnosisDraft = z.strictObject({
  conclusion: z.strictObject({ status: ConclusionStatus, text: Text, analysisIds: AnalysisIds }),
  analyses: z.array(Analysis).min(1).max(50),
  actionPlan: z.array(z.strictObject({ id: itemId('p'), text: Text, analysisIds: AnalysisIds })).max(20),
  recommendations: z.array(z.strictObject({ id: itemId('r'), text: Text, analysisIds: AnalysisIds })).max(20),
  limitations: z
    .array(z.strictObject({ id: itemId('l'), text: Text, toolCallIds: z.array(ToolCallId).max(128) }))
    .max(40),
  candidates: z.array(Candidate).max(10).optional(),
});
export type DiagnosisDraft = z.infer<typeof DiagnosisDraft>;

export const AnswerItem = z.strictObject({
  id: itemId('k'),
  text: Text,
  toolCallId: ToolCallId,
  documentIds: z.array(z.string().min(1).max(200)).min(1).max(20),
  quotes: z.array(Quote).max(20).optional(),
});
export type AnswerItem = z.infer<typeof AnswerItem>;

/** The answer to a KNOWLEDGE_QUERY: items bound to the single lookup and the documents it rendered (H5). No items: the fixed not-found answer. */
export const KnowledgeAnswer = z.strictObject({ items: z.array(AnswerItem).max(20) });
export type KnowledgeAnswer = z.infer<typeof KnowledgeAnswer>;

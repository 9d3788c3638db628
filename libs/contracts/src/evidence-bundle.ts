import { z } from 'zod';
import { agentResult } from './agent-facts';
import { evidenceResult } from './evidence-facts';
import { Instant, RunId, Sequence, Sha256, Step, ToolCallId, WorkService } from './ids';
import { LedgerEntry } from './ledger';
import { Intent, Outcome } from './outcome';
import { semanticResult } from './semantic-facts';

export const BUNDLE_SCHEMA = 'inquest.bundle.v1';
/** What the first entry of the excerpt is chained to. */
export const CHAIN_ROOT = '0'.repeat(64);

/** Where the body of a fact stands: in the entry itself, in another part of the bundle, or nowhere in it and why. */
export const FactBody = z.enum([
  'HERE',
  'LEDGER',
  'DRAFTS',
  'EVIDENCE',
  'SEMANTIC',
  /** Came too late: kept by the log as a hash, its content is readable by nobody. */
  'DISCARDED',
  /** Proposals of the model, with its provider's opaque state: what became of them stands in the chain. */
  'NOT_CARRIED',
  /** The log has forgotten it, and the archive keeps its hash only. */
  'EXPIRED',
]);
export type FactBody = z.infer<typeof FactBody>;

/** The CloudEvents headers that say who wrote what, and why. The archive keeps type and cause only. */
export const FactHeaders = z.strictObject({
  'ce-id': z.string().max(256).optional(),
  'ce-source': z.string().max(64).optional(),
  'ce-type': z.string().max(128),
  'ce-time': Instant.optional(),
  'ce-contractversion': z.number().int().positive().optional(),
  'ce-causationid': z.string().max(256).optional(),
});
export type FactHeaders = z.infer<typeof FactHeaders>;

/** One fact of the run at its place in the log. `hash` = sha256(hash of the entry before + canonical JSON of this one without `hash`). */
export const ExcerptEntry = z.strictObject({
  /** Sequence in the partition's stream: the log's own order. */
  seq: Sequence,
  subject: z.string().max(256),
  storedAt: Instant,
  from: z.enum(['LOG', 'ARCHIVE']),
  headers: FactHeaders,
  /** sha256 of the body's canonical JSON, wherever it stands. */
  dataHash: Sha256,
  body: FactBody,
  /** The body when it stands here, else null. */
  data: z.unknown(),
  hash: Sha256,
});
export type ExcerptEntry = z.infer<typeof ExcerptEntry>;

const at = { seq: Sequence, step: Step };

/** The run's tool calls in the order in which they were accepted, which is the guard's. */
export const BundledCall = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('RESULT'), ...at, service: WorkService, entry: LedgerEntry }),
  /** Accepted, and closed without a result that may be read; or forgotten by log and archive. */
  z.strictObject({
    kind: z.literal('NO_RESULT'),
    step: Step,
    service: WorkService,
    toolCallId: ToolCallId,
    tool: z.string().max(256),
  }),
]);
export type BundledCall = z.infer<typeof BundledCall>;

export const BundledDraft = z.strictObject({
  ...at,
  revision: z.number().int().min(1).max(2),
  data: agentResult.schema,
});
export type BundledDraft = z.infer<typeof BundledDraft>;

const PartName = z.enum([
  'report',
  'snapshot',
  'texts',
  'ledger',
  'drafts',
  'evidence',
  'semantic',
  'excerpt',
]);
export type PartName = z.infer<typeof PartName>;
export const PART_NAMES: readonly PartName[] = PartName.options;

export const BundleManifest = z.strictObject({
  runId: RunId,
  tenant: z.string().max(64),
  stream: z.string().max(64),
  partition: Sequence,
  outcome: Outcome,
  intent: Intent.nullable(),
  ruleSet: z.string().max(64),
  reportHash: Sha256.nullable(),
  snapshotHash: Sha256.nullable(),
  /** Places of the seal and of the terminal fact. */
  sealedSeq: Sequence.nullable(),
  terminalSeq: Sequence,
  /** Subjects, below the run's own, of facts that neither the log nor the archive holds any more. */
  missing: z.array(z.string().max(128)).max(1_024),
  /** sha256 of each part: of the text for `report` and `snapshot` (null where there is none), of the canonical JSON for the others. */
  parts: z.strictObject({
    report: Sha256.nullable(),
    snapshot: Sha256.nullable(),
    texts: Sha256,
    ledger: Sha256,
    drafts: Sha256,
    evidence: Sha256,
    semantic: Sha256,
    excerpt: Sha256,
  }),
  /** `hash` of the excerpt's last entry. */
  head: Sha256,
  /** sha256 of the canonical JSON of this manifest without `digest`: with `parts` it covers every byte of the file. */
  digest: Sha256,
});
export type BundleManifest = z.infer<typeof BundleManifest>;

/**
 * Everything that a run's ending stands on, in one file: canonical JSON, UTF-8, nothing before and nothing behind it. The
 * same run yields the same bytes as long as the log holds it. See docs/reference/evidence-bundle.md.
 */
export const EvidenceBundle = z.strictObject({
  schema: z.literal(BUNDLE_SCHEMA),
  manifest: BundleManifest,
  /** The released bytes; null for an ending without any. */
  report: z.string().nullable(),
  /** The canonical snapshot that both guards passed. */
  snapshot: z.string().nullable(),
  /** Texts that facts name by digest instead of holding them. */
  texts: z.record(Sha256, z.string()),
  ledger: z.array(BundledCall).max(256),
  drafts: z.array(BundledDraft).max(8),
  evidence: z.array(z.strictObject({ ...at, data: evidenceResult.schema })).max(8),
  semantic: z.array(z.strictObject({ ...at, data: semanticResult.schema })).max(8),
  excerpt: z.array(ExcerptEntry).min(1).max(4_096),
});
export type EvidenceBundle = z.infer<typeof EvidenceBundle>;

/** One question that `inquest verify` asks of a bundle. `holds` is null where it could not be asked, and `detail` says why. */
export const BundleCheck = z.strictObject({
  check: z.string().max(200),
  holds: z.boolean().nullable(),
  detail: z.string().max(1_000),
});
export type BundleCheck = z.infer<typeof BundleCheck>;

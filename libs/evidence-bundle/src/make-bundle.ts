import { agentResult, type AgentResult } from '@inquest/contracts/agent-facts';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import {
  BUNDLE_SCHEMA,
  EvidenceBundle,
  type BundleManifest,
  type FactBody,
} from '@inquest/contracts/evidence-bundle';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Outcome } from '@inquest/contracts/outcome';
import type { Payload } from '@inquest/contracts/payload';
import type { TerminalEvent } from '@inquest/contracts/run-decision';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import { parseSubject, runSubjects, type ParsedSubject } from '@inquest/contracts/subjects';
import { chained, type UnchainedEntry } from './excerpt-chain';
import type { LogFact, RunMaterial } from './log-fact';
import { headOf, manifestDigest, partHashes, type BundleParts } from './manifest';
import { chainOf, isReadable, runStory, type RunStory } from './run-story';

/** What was found of the run makes no bundle, and why. */
export class NotBundleable extends Error {
  constructor(readonly why: 'NOT_ENDED' | 'CHAIN_INCOMPLETE' | 'UNREADABLE') {
    super(`the run cannot be bundled: ${why}`);
    this.name = 'NotBundleable';
  }
}

export const OUTCOME_OF: Record<TerminalEvent['type'], Outcome> = {
  RunReleased: 'SUCCESS',
  RunFellBack: 'FALLBACK',
  RunFailed: 'FAILED',
  RunCancelled: 'CANCELLED',
};

type ResultAt = Extract<ParsedSubject, { family: 'req' | 'call' | 'res' }>;

const bodyOfResult = (at: ResultAt, fact: LogFact, story: RunStory): FactBody => {
  if (story.discarded.has(at.step)) return 'DISCARDED';
  switch (at.service) {
    case 'tool':
    case 'rag': {
      const call = story.calls.find(({ accepted }) => accepted.step === at.step);
      if (!call || !isReadable(call)) return 'DISCARDED';
      return fact.data === undefined ? 'EXPIRED' : 'LEDGER';
    }
    case 'agent': {
      const result = agentResult.schema.safeParse(fact.data).data;
      if (result === undefined) return 'EXPIRED';
      return result.kind === 'DRAFT' ? 'DRAFTS' : result.kind === 'FAILED' ? 'HERE' : 'NOT_CARRIED';
    }
    case 'evidence':
      return fact.data === undefined ? 'EXPIRED' : 'EVIDENCE';
    case 'semantic':
      return fact.data === undefined ? 'EXPIRED' : 'SEMANTIC';
    case 'router':
    case 'evaluator':
    case 'investigator':
      return fact.data === undefined ? 'EXPIRED' : 'HERE';
  }
};

type Placed = { fact: LogFact; at: ParsedSubject; body: FactBody };

const placed = (fact: LogFact, story: RunStory): Placed[] => {
  const at = parseSubject(fact.subject);
  if (at === undefined || at.family === 'req' || at.family === 'call') return [];
  if (at.family === 'res') return [{ fact, at, body: bodyOfResult(at, fact, story) }];
  return [{ fact, at, body: fact.data === undefined ? 'EXPIRED' : 'HERE' }];
};

const entryOf = ({ fact, body }: Placed): UnchainedEntry => ({
  seq: fact.seq,
  subject: fact.subject,
  storedAt: fact.storedAt,
  from: fact.from,
  headers: fact.headers,
  dataHash: fact.dataHash,
  body,
  data: body === 'HERE' ? fact.data : null,
});

/** The facts whose body stands in this part, with their step. */
const inPart = (all: readonly Placed[], part: FactBody): { fact: LogFact; at: ResultAt }[] =>
  all.flatMap(({ fact, at, body }) => (body === part && at.family === 'res' ? [{ fact, at }] : []));

const ledgerOf = (all: readonly Placed[], { calls }: RunStory): BundleParts['ledger'] =>
  calls.map(({ accepted: { toolCallId, tool, service, step } }) => {
    const found = inPart(all, 'LEDGER').find(({ at }) => at.step === step && at.service === service);
    return found
      ? { kind: 'RESULT', seq: found.fact.seq, step, service, entry: found.fact.data as LedgerEntry }
      : { kind: 'NO_RESULT', step, service, toolCallId, tool };
  });

const draftsOf = (all: readonly Placed[], { drafts }: RunStory): BundleParts['drafts'] =>
  inPart(all, 'DRAFTS').flatMap(({ fact, at }) => {
    const revision = drafts.find(({ step }) => step === at.step)?.revision;
    const data = fact.data as AgentResult;
    return revision === undefined ? [] : [{ seq: fact.seq, step: at.step, revision, data }];
  });

/** The snapshot that the release names, else the one that was accepted last. */
const snapshotOf = (
  material: RunMaterial,
  evidence: BundleParts['evidence'],
  story: RunStory,
): string | null => {
  const verdict = evidence.findLast(({ step }) => step === story.accepted?.step)?.data;
  if (verdict?.kind !== 'ACCEPTED') return material.archived?.snapshot ?? null;
  const { inline, sha256: digest } = verdict.snapshot;
  return inline ?? material.texts.get(digest) ?? material.archived?.snapshot ?? null;
};

/** The report of a released run; a snapshot of a run that ended otherwise was released to nobody. */
const reportOf = (snapshot: string | null, { terminal }: RunStory): string | null => {
  if (snapshot === null || terminal?.event.type !== 'RunReleased' || terminal.event.reportHash === null)
    return null;
  return (JSON.parse(snapshot) as { report: string }).report;
};

const missingOf = (material: RunMaterial, all: readonly Placed[], story: RunStory): string[] => {
  const base = runSubjects(material.runId, material.partitions).chain.replace(/run$/, '');
  const known = new Set(material.facts.map(({ subject }) => subject.slice(base.length)));
  const named = story.chain.flatMap(({ decision }) => decision.took.map(({ fact }) => fact));
  const expired = all.flatMap(({ fact, body }) =>
    body === 'EXPIRED' ? [fact.subject.slice(base.length)] : [],
  );
  return [...new Set([...named.filter((fact) => !known.has(fact)), ...expired])].sort();
};

const manifestOf = (
  material: RunMaterial,
  parts: BundleParts,
  story: RunStory,
  missing: string[],
): BundleManifest => {
  const { started, terminal, sealed } = story;
  if (!started || !terminal) throw new NotBundleable('CHAIN_INCOMPLETE');
  const { event } = terminal;
  const { partition, stream } = runSubjects(material.runId, material.partitions);
  const manifest = {
    runId: started.runId,
    tenant: material.tenant,
    stream,
    partition,
    outcome: OUTCOME_OF[event.type],
    intent: event.intent,
    ruleSet: started.ruleSet,
    reportHash: event.type === 'RunReleased' ? event.reportHash : null,
    snapshotHash: event.type === 'RunReleased' ? event.snapshotHash : (story.accepted?.snapshotHash ?? null),
    sealedSeq: sealed?.seq ?? null,
    terminalSeq: terminal.seq,
    missing,
    parts: partHashes(parts),
    head: headOf(parts),
    digest: '',
  };
  return { ...manifest, digest: manifestDigest(manifest) };
};

const bodiesOf = (
  all: readonly Placed[],
  story: RunStory,
): Pick<BundleParts, 'drafts' | 'evidence' | 'semantic'> => ({
  drafts: draftsOf(all, story),
  evidence: inPart(all, 'EVIDENCE').map(({ fact, at }) => ({
    seq: fact.seq,
    step: at.step,
    data: fact.data as EvidenceResult,
  })),
  semantic: inPart(all, 'SEMANTIC').map(({ fact, at }) => ({
    seq: fact.seq,
    step: at.step,
    data: fact.data as SemanticResult,
  })),
});

/** Texts that the bodies name by digest; the snapshot is a part of its own. Whatever else was read stays out. */
const namedTexts = (
  { texts }: RunMaterial,
  { ledger, drafts, evidence }: Pick<BundleParts, 'ledger' | 'drafts' | 'evidence'>,
  snapshot: string | null,
): Record<string, string> => {
  const payloads: Payload[] = [
    ...ledger.flatMap((call) => (call.kind === 'RESULT' ? [call.entry.projection] : [])),
    ...drafts.flatMap(({ data }) => (data.kind === 'DRAFT' ? [data.draft] : [])),
    ...evidence.flatMap(({ data }) => (data.kind === 'ACCEPTED' ? [data.snapshot] : [])),
  ];
  const own = snapshot === null ? null : sha256(snapshot);
  return Object.fromEntries(
    payloads.flatMap(({ inline, sha256: digest }) => {
      const text = inline === undefined && digest !== own ? texts.get(digest) : undefined;
      return text === undefined ? [] : [[digest, text]];
    }),
  );
};

const make = (material: RunMaterial): EvidenceBundle => {
  const facts = [...material.facts].sort((a, b) => a.seq - b.seq);
  const story = runStory(chainOf(facts));
  if (story.chain[0]?.decision.n !== 0) throw new NotBundleable('CHAIN_INCOMPLETE');
  if (!story.terminal) throw new NotBundleable('NOT_ENDED');
  const all = facts.flatMap((fact) => placed(fact, story));
  const bodies = bodiesOf(all, story);
  const snapshot = snapshotOf(material, bodies.evidence, story);
  const ledger = ledgerOf(all, story);
  const parts: BundleParts = {
    report: reportOf(snapshot, story),
    snapshot,
    texts: namedTexts(material, { ledger, ...bodies }, snapshot),
    ledger,
    ...bodies,
    excerpt: chained(all.map(entryOf)),
  };
  const manifest = manifestOf(material, parts, story, missingOf(material, all, story));
  const bundle: EvidenceBundle = { schema: BUNDLE_SCHEMA, manifest, ...parts };
  // Checked, not copied: the bodies' hashes are those of the facts as the log holds them.
  EvidenceBundle.parse(bundle);
  return bundle;
};

/**
 * The bundle of an ended run. Pure, and reproducible: the same facts yield the same bytes. Throws {@link NotBundleable},
 * and nothing else.
 */
export const makeBundle = (material: RunMaterial): EvidenceBundle => {
  try {
    return make(material);
  } catch (error) {
    if (error instanceof NotBundleable) throw error;
    throw Object.assign(new NotBundleable('UNREADABLE'), { cause: error });
  }
};

/** The file: exactly these characters, as UTF-8. */
export const bundleText = (bundle: EvidenceBundle): string => canonicalJson(bundle);

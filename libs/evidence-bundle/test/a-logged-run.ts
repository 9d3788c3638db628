import { canonicalJson, hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { stepOf } from '@inquest/contracts/ids';
import type { RunEvent } from '@inquest/contracts/run-decision';
import type { Snapshot } from '@inquest/contracts/semantic-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import type { Violation } from '@inquest/contracts/violation';
import { validateDraft } from '@inquest/evidence-rules/validate-draft';
import type { LogFact, RunMaterial } from '../src/log-fact';
import {
  AT,
  BAD_TEXT,
  DRAFT,
  DRAFT_TEXT,
  LEDGER,
  LIMITS,
  LOGS_ID,
  NOTHING_ID,
  QUESTION,
  RUN,
} from './evidence-and-drafts';

const PARTITIONS = 4;
const SUBJECTS = runSubjects(RUN, PARTITIONS);

const RECORD = {
  model: 'rules-diagnosis',
  startedAt: AT,
  ms: 5,
  requestHash: null,
  rawHash: null,
  usage: null,
  finishReason: 'stop',
};

const PROPOSED = {
  index: 0,
  providerId: 'call_logs',
  toolCallId: LOGS_ID,
  name: 'search_logs',
  argumentsText: '{}',
};

/** The guard of a run: its rules, the hosts that it lets reports link to, and whether it was one that tells them. */
type GuardedBy = { ruleSet: string; linkHosts: readonly string[]; tellsHosts: boolean };

/** Writes facts at rising positions, as a broker would; other runs' facts stand between. */
class Recorder {
  readonly facts: LogFact[] = [];
  private seq = 100;
  private n = 0;
  private lastSeq = 0;

  constructor(readonly guard: GuardedBy) {}

  write(subject: string, type: string, source: string, data: unknown, id = subject): number {
    this.seq += 3;
    this.facts.push({
      seq: this.seq,
      subject,
      storedAt: AT,
      from: 'LOG',
      headers: { 'ce-id': id, 'ce-source': source, 'ce-type': type, 'ce-time': AT, 'ce-contractversion': 1 },
      dataHash: hashOf(data),
      data,
    });
    return this.seq;
  }

  result(service: 'router' | 'agent' | 'tool' | 'evidence' | 'semantic', step: string, data: unknown) {
    const writer = { evidence: 'evidence-guard', semantic: 'semantic-guard' } as Record<string, string>;
    const seq = this.write(
      SUBJECTS.res(service, step),
      `inquest.res.${service}.v1`,
      writer[service] ?? 'agent-runner',
      data,
    );
    return { fact: `res.${service}.${step}`, seq };
  }

  decide(took: { fact: string; seq: number }[], ...events: RunEvent[]): number {
    const data = { n: this.n, prevSeq: this.lastSeq, took, at: AT, events };
    const id = `${SUBJECTS.chain}#${this.n}`;
    this.lastSeq = this.write(SUBJECTS.chain, 'inquest.run.v1', 'harness-orchestrator', data, id);
    this.n += 1;
    return this.lastSeq;
  }
}

const asked = (recorder: Recorder): { fact: string; seq: number } => {
  const seq = recorder.write(SUBJECTS.in('request'), 'inquest.in.request.v1', 'chat-gateway', {
    runId: RUN,
    tenant: 'acme',
    principal: 'acme/ada',
    sessionId: null,
    question: QUESTION,
    source: 'shop',
    window: null,
    zone: 'UTC',
    locale: 'en',
    bodyHash: sha256('body'),
    detached: true,
    disconnectGraceMs: 0,
    limits: null,
    knownPositions: [0, 0, 0, 0],
    entry: null,
    requestedAt: AT,
  });
  return { fact: 'in.request', seq };
};

const started = (requestSeq: number, ruleSet: string): RunEvent => ({
  type: 'RunStarted',
  runId: RUN,
  tenant: 'acme',
  principal: 'acme/ada',
  sessionId: null,
  question: QUESTION,
  source: 'shop',
  window: null,
  zone: 'UTC',
  locale: 'en',
  asOf: AT,
  deadlineAt: '2026-03-02T11:20:00.000Z',
  limits: LIMITS,
  idMode: 'strict',
  ruleSet,
  previousTurn: { kind: 'NONE' },
  detached: true,
  requestSeq,
});

const investigate = (recorder: Recorder): void => {
  const calls = LEDGER.map((each, index) => ({ each, step: stepOf(1, 'tool', index, 1), index }));
  recorder.decide(
    [
      recorder.result('agent', stepOf(1, 'model', 0, 1), {
        kind: 'TOOL_CALLS',
        calls: [PROPOSED],
        providerState: 'opaque secret',
        record: RECORD,
      }),
    ],
    ...calls.map(({ each, step, index }): RunEvent => ({
      type: 'ToolActionAccepted',
      turn: 1,
      index,
      toolCallId: each.toolCallId,
      providerId: null,
      tool: each.tool,
      service: 'tool',
      step,
      argumentsText: '{}',
    })),
  );
  recorder.decide(
    calls.map(({ each, step }) => recorder.result('tool', step, each)),
    ...calls.map(({ each, step }): RunEvent => ({
      type: 'ToolInvocationCompleted',
      toolCallId: each.toolCallId,
      step,
      status: each.status,
      evidenceStatus: each.evidenceStatus,
      errorClass: each.errorClass,
      truncated: each.truncated,
    })),
  );
};

const drafted = (recorder: Recorder, revision: 1 | 2, text: string): void => {
  const step = revision === 1 ? stepOf(2, 'model', 0, 1) : stepOf(3, 'repair', 0, 1);
  const draft = { sha256: sha256(text), bytes: Buffer.byteLength(text), inline: text };
  recorder.decide([recorder.result('agent', step, { kind: 'DRAFT', draft, record: RECORD })], {
    type: 'DraftReceived',
    revision,
    step,
    sha256: draft.sha256,
    bytes: draft.bytes,
  });
};

type Judged =
  { violations: Violation[] } | { snapshotText: string; snapshotHash: string; reportHash: string };

const guarded = (
  recorder: Recorder,
  revision: 1 | 2,
  text: string,
  repair: { previousDraftText?: string; repairOf: Violation[] },
): Judged => {
  const step = stepOf(revision + 1, 'evidence', 0, 1);
  const { ruleSet, linkHosts, tellsHosts } = recorder.guard;
  const verdict = validateDraft({
    runId: RUN,
    intent: 'DIAGNOSIS',
    revision,
    draftText: text,
    draftBytesMax: LIMITS.draftBytesMax,
    ledger: LEDGER.map((each) => ({ kind: 'RESULT', entry: each, projection: each.projection.inline ?? '' })),
    question: QUESTION,
    zone: 'UTC',
    asOf: AT,
    ruleSet,
    linkHosts,
    ...repair,
  });
  const common = { revision, ruleSet, ms: 1, ...(tellsHosts ? { linkHosts } : {}) };
  if (verdict.kind === 'REJECTED') {
    const { violations } = verdict;
    recorder.decide([recorder.result('evidence', step, { kind: 'REJECTED', violations, ...common })], {
      type: 'EvidenceRejected',
      revision,
      step,
      violations,
    });
    return { violations };
  }
  const { snapshotText, snapshotHash, reportHash, items, verifiedSources, attention } = verdict;
  const snapshot = { sha256: snapshotHash, bytes: Buffer.byteLength(snapshotText), inline: snapshotText };
  const told = { snapshotHash, reportHash, items, verifiedSources };
  recorder.decide(
    [recorder.result('evidence', step, { kind: 'ACCEPTED', snapshot, attention, ...told, ...common })],
    { type: 'EvidenceAccepted', revision, step, ...told },
    {
      type: 'StepRequested',
      service: 'semantic',
      step: stepOf(revision + 1, 'semantic', 0, 1),
      kind: 'semantic',
      attempt: 1,
      mode: null,
      toolCallId: null,
      revision: null,
      deadlineAt: AT,
    },
  );
  return { snapshotText, snapshotHash, reportHash };
};

const reviewed = (recorder: Recorder, revision: number, text: string, hash: string, unsupported: boolean) => {
  const step = stepOf(revision + 1, 'semantic', 0, 1);
  const { items } = JSON.parse(text) as Snapshot;
  const verdicts = items.map(({ id, kind }) => ({
    itemId: id,
    verdict: unsupported && id === 'a1' ? 'UNSUPPORTED' : 'SUPPORTED',
    reasonCode: unsupported && id === 'a1' ? 'CAUSAL_LEAP' : 'ENTAILED',
    evidenceQuote: kind === 'NEGATIVE_OBSERVATION' ? null : '25 of 25 connections in use',
    toolCallId: kind === 'NEGATIVE_OBSERVATION' ? NOTHING_ID : LOGS_ID,
    scopeHash: null,
  }));
  const verdict = unsupported ? 'UNSUPPORTED' : 'SUPPORTED';
  const record = { ...RECORD, model: 'rules-judge' };
  return {
    took: [
      recorder.result('semantic', step, {
        kind: 'JUDGED',
        attempt: 1,
        snapshotHash: hash,
        verdict,
        verdicts,
        record,
      }),
    ],
    event: { type: 'SemanticAttemptRecorded', attempt: 1, step, outcome: verdict, failure: null } as RunEvent,
  };
};

const ENDING = {
  coverage: LEDGER.map(({ toolCallId, tool, status, evidenceStatus, truncated }) => ({
    toolCallId,
    tool,
    status,
    evidenceStatus,
    truncated,
  })),
  modelCalls: 4,
  toolCalls: LEDGER.length,
  tokens: 0,
};

export type RunKind = 'RELEASED' | 'REPAIRED' | 'REJECTED_TWICE' | 'UNSUPPORTED' | 'FAILED';

const release = (recorder: Recorder, revision: number, judged: Judged, unsupported: boolean): void => {
  if ('violations' in judged)
    throw new Error(`the draft of the test is rejected: ${JSON.stringify(judged.violations)}`);
  const { snapshotText, snapshotHash, reportHash } = judged;
  const evidenceStep = stepOf(revision + 1, 'evidence', 0, 1);
  const { took, event } = reviewed(recorder, revision, snapshotText, snapshotHash, unsupported);
  if (unsupported) {
    recorder.decide(took, event, {
      type: 'OutcomeSealed',
      outcome: { kind: 'FALLBACK', type: 'SEMANTIC_UNSUPPORTED' },
    });
    recorder.decide([], {
      type: 'RunFellBack',
      fallback: 'SEMANTIC_UNSUPPORTED',
      intent: 'DIAGNOSIS',
      verifiedSources: [],
      ...ENDING,
    });
    return;
  }
  const form = 'REPORT' as const;
  recorder.decide(took, event, {
    type: 'OutcomeSealed',
    outcome: { kind: 'SUCCESS', form, snapshotHash, evidenceStep },
  });
  recorder.decide([], {
    type: 'RunReleased',
    form,
    intent: 'DIAGNOSIS',
    snapshotHash,
    reportHash,
    evidenceStep,
    ...ENDING,
  });
};

const fallBack = (recorder: Recorder): void => {
  recorder.decide([], {
    type: 'OutcomeSealed',
    outcome: { kind: 'FALLBACK', type: 'EVIDENCE_VALIDATION_FAILED' },
  });
  recorder.decide([], {
    type: 'RunFellBack',
    fallback: 'EVIDENCE_VALIDATION_FAILED',
    intent: 'DIAGNOSIS',
    verifiedSources: [],
    ...ENDING,
  });
};

/** A whole run as the log holds it, in one of its ways to end. */
export const loggedRun = (
  kind: RunKind = 'RELEASED',
  { draftText = DRAFT_TEXT, ...guard }: Partial<GuardedBy> & { draftText?: string } = {},
): RunMaterial => {
  const recorder = new Recorder({ ruleSet: RULE_SET, linkHosts: [], tellsHosts: false, ...guard });
  const request = asked(recorder);
  recorder.decide([request], started(request.seq, recorder.guard.ruleSet));
  const router = recorder.result('router', stepOf(0, 'router', 0, 1), {
    kind: 'ROUTED',
    intent: 'DIAGNOSIS',
    record: RECORD,
  });
  recorder.decide([router], { type: 'IntentDecided', intent: 'DIAGNOSIS', step: stepOf(0, 'router', 0, 1) });
  if (kind === 'FAILED') {
    recorder.decide([], { type: 'OutcomeSealed', outcome: { kind: 'FAILED', reason: 'MODEL_UNAVAILABLE' } });
    recorder.decide([], {
      type: 'RunFailed',
      reason: 'MODEL_UNAVAILABLE',
      intent: 'DIAGNOSIS',
      ...ENDING,
      coverage: [],
    });
  } else {
    investigate(recorder);
    const twice = kind === 'REPAIRED' || kind === 'REJECTED_TWICE';
    const first = twice ? BAD_TEXT : draftText;
    drafted(recorder, 1, first);
    const judged = guarded(recorder, 1, first, { repairOf: [] });
    if (!twice) release(recorder, 1, judged, kind === 'UNSUPPORTED');
    else {
      const second =
        kind === 'REPAIRED'
          ? canonicalJson({ ...DRAFT, analyses: DRAFT.analyses.map(({ facts: _, ...rest }) => rest) })
          : BAD_TEXT;
      drafted(recorder, 2, second);
      const again = guarded(recorder, 2, second, {
        previousDraftText: first,
        repairOf: 'violations' in judged ? judged.violations : [],
      });
      if (kind === 'REPAIRED') release(recorder, 2, again, false);
      else fallBack(recorder);
    }
  }
  return {
    runId: RUN,
    tenant: 'acme',
    partitions: PARTITIONS,
    facts: recorder.facts,
    texts: new Map(),
    archived: null,
  };
};

import { canonicalJson, hashOf, sha256 } from '@inquest/contracts/canonical-json';
import type { CaseEvent } from '@inquest/contracts/case-decision';
import type {
  CaseRequested,
  Evaluation,
  EvaluatorRequested,
  InvestigatorRequested,
  InvestigatorResult,
} from '@inquest/contracts/case-facts';
import type { InvestigationPolicy, InvestigationPrompt } from '@inquest/contracts/case-parts';
import { DiagnosisDraft } from '@inquest/contracts/draft';
import type { EvidenceRequested } from '@inquest/contracts/evidence-facts';
import type { RunId, Step } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Snapshot } from '@inquest/contracts/service-facts';
import type { ToolRequested } from '@inquest/contracts/tool-facts';
import { validateDraft } from '@inquest/evidence-rules/validate-draft';
import { createRedactor } from '@inquest/redaction/redactor';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import type { IncidentSource } from '@inquest/toolsets/incident-source';
import { incidentSources } from '@inquest/toolsets/incident-sources';
import { toolsByName, type ToolRunner } from '@inquest/toolsets/run-tool';
import { caseTranscript } from '../../apps/agent-runner/src/investigator/case-transcript';
import { investigatorResultOf } from '../../apps/agent-runner/src/investigator/investigator-answer';
import type { CaseServiceResult } from '../../apps/harness-orchestrator/src/case/case.commands';
import { caseDecider } from '../../apps/harness-orchestrator/src/case/case.decider';
import { INVESTIGATION_POLICY } from '../../apps/harness-orchestrator/src/case/case.policy';
import type { Case, CaseState, OpenCaseStep } from '../../apps/harness-orchestrator/src/case/case.state';
import { caseRequestOf } from '../../apps/harness-orchestrator/src/case/case-requests';
import { readEvaluation } from '../../apps/semantic-guard/src/evaluator/evaluation-validation';
import { evaluatorDocument } from '../../apps/semantic-guard/src/evaluator/evaluator-document';
import { boundaryOf } from '../../apps/semantic-guard/src/judge/judge-document';
import { callTool, complete, judged, TOOLS, type Address } from '../offline-analyst/investigation-loop';

const CASE_ID = '00000000-0000-8000-8000-00000000c0de' as RunId;
const RULE_SET = 'evidence-2';
const START_MS = Date.parse('2026-12-01T12:00:00.000Z');
/** More than any policy allows: reached only by a decider that does not end. */
const STEPS_MAX = 1_000;
const BOUNDARY = boundaryOf('5f0c7d2e9a');

export type Asked = {
  question: string;
  zone: string;
  source: IncidentSource;
  promptVersion?: InvestigationPrompt;
  policy?: Partial<InvestigationPolicy>;
  /** What an evaluator says instead of the analyst, for tests of declines. */
  evaluator?: (request: EvaluatorRequested, own: Evaluation) => Evaluation;
};

/** A case that has come to its end. */
export type EndedCase = {
  case: Case;
  events: CaseEvent[];
  entries: LedgerEntry[];
  /** Every draft, in order; the last one is that of the ending. */
  drafts: DiagnosisDraft[];
  /** What was sent to the endpoint and what came back, in order. */
  calls: { step: Step; messages: unknown[]; answer: string }[];
};

type Message = { [key: string]: unknown };
const user = (document: unknown): Message => ({ role: 'user', content: canonicalJson(document) });

const RECORD = {
  model: 'rules-diagnosis',
  startedAt: new Date(START_MS).toISOString(),
  ms: 0,
  requestHash: null,
  rawHash: null,
  usage: null,
  finishReason: 'stop',
};
const INVALID = {
  kind: 'FAILED' as const,
  failure: 'INVALID_RESPONSE' as const,
  retryAfterMs: null,
  record: RECORD,
};

/** The real decider, transcripts, tools, validations and guards as functions, the analyst over HTTP; no broker and no services. */
class InProcessCase {
  private state: CaseState = caseDecider.initialState();
  private readonly events: CaseEvent[] = [];
  private readonly queue: { open: OpenCaseStep; data: unknown }[] = [];
  private readonly entries = new Map<string, LedgerEntry>();
  private readonly draftTexts = new Map<string, string>();
  private readonly drafts: DiagnosisDraft[] = [];
  private readonly calls: EndedCase['calls'] = [];
  private nowMs = START_MS;
  private snapshot: Snapshot | null = null;
  private readonly runner: ToolRunner;

  constructor(
    private readonly analyst: Address,
    private readonly asked: Asked,
  ) {
    this.runner = {
      tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
      sources: incidentSources([asked.source]),
      redactor: createRedactor(CASE_ID),
      signal: new AbortController().signal,
    };
  }

  private get version(): InvestigationPrompt {
    return this.asked.promptVersion ?? 'investigation_v3';
  }

  private case(): Case {
    if (this.state.status !== 'STARTED') throw new Error('the case was not opened');
    return this.state.case;
  }

  private decide(command: Parameters<typeof caseDecider.decide>[0]): void {
    const decided = caseDecider.decide(command, this.state);
    for (const event of decided) this.state = caseDecider.evolve(this.state, event);
    this.events.push(...decided);
    for (const event of decided) {
      if (event.type !== 'CaseStepRequested') continue;
      const open = this.case().open.find(({ step }) => step === event.step);
      // The request is a function of the chain as it is when it was decided.
      if (open) this.queue.push({ open, data: caseRequestOf(this.case(), open).data });
    }
  }

  async run(): Promise<EndedCase> {
    this.decide({
      type: 'OpenCase',
      request: this.requested(),
      requestSeq: 1,
      policy: { ...INVESTIGATION_POLICY, ...this.asked.policy },
      evaluatorVersion: 'diagnosis_early_v2',
      ruleSet: RULE_SET,
      gate: 'OPEN',
      ...this.now(),
    });
    for (let n = 0; n < STEPS_MAX && this.case().ended === null; n += 1) {
      const work = this.queue.shift();
      if (work === undefined)
        this.decide({ type: 'FinishSealed', sealedSeq: 2, earlierCancel: null, ...this.now() });
      else await this.perform(work);
    }
    if (this.case().ended === null) throw new Error(`the case has not ended after ${STEPS_MAX} steps`);
    const { events, drafts, calls } = this;
    return { case: this.case(), events, entries: [...this.entries.values()], drafts, calls };
  }

  private now() {
    this.nowMs += 1;
    return { nowMs: this.nowMs, prompts: { plain: this.version, project: this.version } };
  }

  private requested(): CaseRequested {
    const { question, zone, source } = this.asked;
    return {
      caseId: CASE_ID,
      tenant: 'local',
      principal: 'person',
      sessionId: null,
      question,
      source: source.name,
      window: null,
      zone,
      locale: 'en',
      fromRun: null,
      coordinates: [],
      bodyHash: sha256(question),
      policy: null,
      requestedAt: new Date(START_MS).toISOString(),
    } as CaseRequested;
  }

  private async perform({ open, data }: { open: OpenCaseStep; data: unknown }): Promise<void> {
    const result = await this.resultOf(open, data);
    this.decide({ type: 'TakeResult', step: open.step, hash: sha256(open.step), ...result, ...this.now() });
  }

  private async resultOf({ kind, step, service }: OpenCaseStep, data: unknown): Promise<CaseServiceResult> {
    switch (kind) {
      case 'act': {
        const call = data as ToolRequested;
        const entry = await callTool({ ...call, providerId: null }, this.runner);
        this.entries.set(call.toolCallId, entry);
        return { service: service as 'tool', result: entry };
      }
      case 'review':
        return { service: 'evaluator', result: await this.evaluated(step, data as EvaluatorRequested) };
      case 'proof':
        return { service: 'evidence', result: this.proved(data as EvidenceRequested) };
      case 'verdict':
        return { service: 'semantic', result: await this.verdict() };
      default:
        return { service: 'investigator', result: await this.answered(step, data as InvestigatorRequested) };
    }
  }

  private async ask(step: Step, model: string, messages: Message[]): Promise<string> {
    const choice = await complete(this.analyst, { model, messages, tools: TOOLS, tool_choice: 'none' });
    const answer = choice.message.content ?? '';
    this.calls.push({ step, messages, answer });
    return answer;
  }

  private evidence(): Map<string, { entry: LedgerEntry; projection: string }> {
    const shown = [...this.entries].map(([id, entry]) => {
      const projection = entry.projection.inline ?? '';
      return [id, { entry, projection }] as const;
    });
    return new Map(shown);
  }

  private async answered(step: Step, request: InvestigatorRequested): Promise<InvestigatorResult> {
    const draft = request.repair === null ? null : (this.draftTexts.get(request.repair.draftStep) ?? null);
    const messages = caseTranscript(request, this.evidence(), draft) as unknown as Message[];
    const text = await this.ask(step, 'rules-diagnosis', messages);
    const outcome = { kind: 'TEXT' as const, text, record: RECORD };
    return investigatorResultOf(outcome as never, request, (written) => {
      this.draftTexts.set(step, written);
      this.drafts.push(DiagnosisDraft.parse(JSON.parse(written)));
      const payload = { sha256: sha256(written), bytes: Buffer.byteLength(written), inline: written };
      return Promise.resolve(payload as never);
    });
  }

  private async evaluated(step: Step, request: EvaluatorRequested) {
    const evidence = this.evidence();
    const document = evaluatorDocument(request, evidence, BOUNDARY);
    const messages = [{ role: 'system', content: request.promptVersion }, user(document)];
    const text = await this.ask(step, 'rules-judge', messages);
    const reading = readEvaluation({ text, finishReason: 'stop' }, request, evidence);
    if (reading.kind === 'INVALID') return INVALID;
    const evaluation = this.asked.evaluator?.(request, reading.evaluation) ?? reading.evaluation;
    return { kind: 'EVALUATED' as const, pass: request.pass, evaluation, record: RECORD };
  }

  private proved(request: EvidenceRequested) {
    const { revision, draftStep, previousDraftStep, repairOf, question, zone, asOf, draftBytesMax } = request;
    const draftText = this.draftTexts.get(draftStep) ?? '';
    const previous = previousDraftStep === null ? undefined : this.draftTexts.get(previousDraftStep);
    const verdict = validateDraft({
      ...{ runId: CASE_ID, intent: 'DIAGNOSIS', revision, draftText, draftBytesMax, question, zone, asOf },
      ledger: request.ledger.flatMap(({ toolCallId }) => {
        const entry = this.entries.get(toolCallId);
        return entry ? [{ kind: 'RESULT' as const, entry, projection: entry.projection.inline ?? '' }] : [];
      }),
      ...(previous === undefined ? {} : { previousDraftText: previous }),
      repairOf,
      ruleSet: RULE_SET,
    });
    if (verdict.kind === 'REJECTED')
      return {
        kind: 'REJECTED' as const,
        revision,
        violations: verdict.violations,
        ruleSet: RULE_SET,
        ms: 0,
      };
    const { snapshotText, snapshotHash, reportHash, items, verifiedSources, attention } = verdict;
    this.snapshot = JSON.parse(snapshotText) as Snapshot;
    const payload = { sha256: snapshotHash, bytes: snapshotText.length, inline: null };
    const conclusionStatus = (JSON.parse(draftText) as DiagnosisDraft).conclusion.status;
    return {
      ...{ kind: 'ACCEPTED' as const, revision, snapshot: payload as never, snapshotHash, reportHash },
      ...{ items, verifiedSources, attention, ruleSet: RULE_SET, ms: 0, conclusionStatus },
    } as never;
  }

  private async verdict() {
    if (this.snapshot === null) throw new Error('a verdict was asked for without a snapshot');
    const verdicts = await judged(this.analyst, this.snapshot);
    const isSupported = verdicts.every(({ verdict }) => verdict === 'SUPPORTED');
    return {
      kind: 'JUDGED' as const,
      attempt: 1,
      snapshotHash: hashOf(this.snapshot),
      verdict: isSupported ? ('SUPPORTED' as const) : ('UNSUPPORTED' as const),
      verdicts,
      record: RECORD,
    };
  }
}

/** Runs one case from its opening to its end. Throws where a step can never end. */
export const runCase = (analyst: Address, asked: Asked): Promise<EndedCase> =>
  new InProcessCase(analyst, asked).run();

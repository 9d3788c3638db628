import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type {
  CaseRequested,
  Evaluation,
  EvaluatorResult,
  InvestigatorResult,
  InvestigatorTurn,
  NewFinding,
  Next,
} from '@inquest/contracts/case-facts';
import type { Cell, Confidence, HypothesisId, InvestigationPolicy } from '@inquest/contracts/case-parts';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunId, Step, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import { HASH_A, HASH_B, T0, found, judged, record } from '../run/run.fixtures';
import type { CaseCommand, CaseServiceResult, Protocol } from './case.commands';
import { caseDecider } from './case.decider';
import { INVESTIGATION_POLICY } from './case.policy';
import { EVALUATOR_PROMPT, PROMPTS } from './prompts';
import type { Case, CaseState, OpenCaseStep } from './case.state';

export const CASE_ID = '00000000-0000-8000-8000-00000000c0de' as RunId;
export const H1 = 'h1' as HypothesisId;
export const H2 = 'h2' as HypothesisId;
export const H3 = 'h3' as HypothesisId;

export const caseRequest = (over: Partial<CaseRequested> = {}): CaseRequested => ({
  caseId: CASE_ID,
  tenant: 'demo',
  principal: 'demo/ada',
  sessionId: null,
  question: 'why is checkout failing?',
  source: 'shop',
  window: null,
  zone: 'UTC',
  locale: 'en',
  fromRun: null,
  coordinates: [],
  bodyHash: HASH_A,
  policy: null,
  requestedAt: new Date(T0).toISOString(),
  ...over,
});

export const formed = (count = 3): InvestigatorResult => ({
  kind: 'FORMED',
  hypotheses: Array.from({ length: count }, (_, i) => ({
    statement: `explanation ${i + 1}`,
    confirmedBy: 'this',
    refutedBy: 'that',
  })),
  record,
});

export const turn = (
  next: Next,
  over: { findings?: NewFinding[]; confidence?: Exclude<Confidence, 'unassessed'> } = {},
): InvestigatorResult => ({
  kind: 'TURN',
  turn: {
    findings: over.findings ?? [],
    assessment: over.confidence === undefined ? null : { confidence: over.confidence, text: 'so far' },
    next,
  } satisfies InvestigatorTurn,
  record,
});

export const research = (count = 1): Next => ({
  kind: 'research',
  actions: Array.from({ length: count }, () => ({
    tool: 'search_logs',
    argumentsText: '{}',
    expectedIfTrue: 'errors of the pool',
    expectedIfFalse: 'none',
  })),
});

export const finding = (toolCallId: string, cells: Record<string, Cell>): NewFinding => ({
  text: 'something was seen',
  toolCallIds: [toolCallId as ToolCallId],
  cells: Object.entries(cells).map(([hypothesisId, cell]) => ({
    hypothesisId: hypothesisId as HypothesisId,
    cell,
  })),
});

export const requestDiagnosis = (...refs: string[]): Next => ({
  kind: 'request_diagnosis',
  reason: 'it is shown',
  countercheckRefs: refs as never,
});

export const draftResult: InvestigatorResult = {
  kind: 'DRAFT',
  draft: { sha256: HASH_A, bytes: 2, inline: '{}' },
  record,
};

export const evaluation = (over: Partial<Evaluation> = {}): Evaluation => ({
  hypothesisId: H1,
  ratings: [
    { hypothesisId: H1, confidence: 'strongly_supported', text: '' },
    { hypothesisId: H2, confidence: 'contradicted', text: '' },
    { hypothesisId: H3, confidence: 'contradicted', text: '' },
  ],
  directEvidence: [{ toolCallId: 'tc-1-0' as ToolCallId, quote: 'timeout exceeded' }],
  countercheck: { adequate: true, toolCallIds: ['tc-1-0' as ToolCallId], text: 'the alternative failed' },
  contradictions: [],
  uncertainty: 'little',
  ...over,
});

export const evaluated = (pass: 1 | 2, over: Partial<Evaluation> = {}): EvaluatorResult => ({
  kind: 'EVALUATED',
  pass,
  evaluation: evaluation(over),
  record,
});

export const proofAccepted = (
  revision = 1,
  conclusionStatus: 'ROOT_CAUSE_IDENTIFIED' | 'NO_FAULT_FOUND' | 'INCONCLUSIVE' = 'ROOT_CAUSE_IDENTIFIED',
): EvidenceResult => ({
  kind: 'ACCEPTED',
  revision,
  snapshot: { sha256: HASH_B, bytes: 2, inline: '{}' },
  snapshotHash: HASH_B,
  reportHash: HASH_A,
  items: 3,
  verifiedSources: [],
  attention: [],
  ruleSet: 'evidence-2',
  ms: 1,
  conclusionStatus,
});

/** A case driven by what reaches the harness; the clock stands unless it is told to move. */
export class CaseUnderTest {
  state: CaseState = caseDecider.initialState();
  events: CaseEvent[] = [];
  last: CaseEvent[] = [];
  nowMs = T0;
  /** What the process would ask new calls under. */
  prompts: Protocol['prompts'] = PROMPTS;
  private contents = 0;

  constructor(
    over: {
      policy?: Partial<InvestigationPolicy>;
      request?: Partial<CaseRequested>;
      prompts?: Protocol['prompts'];
      gate?: 'OPEN' | 'SHUT';
    } = {},
  ) {
    this.prompts = over.prompts ?? PROMPTS;
    this.decide({
      type: 'OpenCase',
      request: caseRequest(over.request),
      requestSeq: 1,
      policy: { ...INVESTIGATION_POLICY, ...over.policy },
      evaluatorVersion: EVALUATOR_PROMPT,
      ruleSet: 'evidence-2',
      gate: over.gate ?? 'OPEN',
    });
  }

  get case(): Case {
    if (this.state.status !== 'STARTED') throw new Error('the case was not opened');
    return this.state.case;
  }

  get types(): string[] {
    return this.last.map(({ type }) => type);
  }

  decide(command: Record<string, unknown> & { type: CaseCommand['type'] }): this {
    const whole = { nowMs: this.nowMs, prompts: this.prompts, ...command } as unknown as CaseCommand;
    this.last = caseDecider.decide(whole, this.state);
    this.events.push(...this.last);
    this.state = this.last.reduce(caseDecider.evolve, this.state);
    return this;
  }

  /** Takes one result for the open step of a kind. */
  take(kind: OpenCaseStep['kind'], answer: CaseServiceResult): this {
    const open = this.case.open.find((o) => o.kind === kind);
    if (open === undefined)
      throw new Error(`no ${kind} is open, but ${this.case.open.map((o) => o.step).join(', ')}`);
    return this.takeAt(open.step, answer);
  }

  takeAt(step: Step, answer: CaseServiceResult): this {
    return this.decide({ type: 'TakeResult', step, hash: HASH_A, ...answer });
  }

  form(result: InvestigatorResult = formed()): this {
    return this.take('form', { service: 'investigator', result });
  }

  turn(result: InvestigatorResult): this {
    return this.take('turn', { service: 'investigator', result });
  }

  /** Settles one open action, by default with content that was not there before. */
  act(over: Partial<LedgerEntry> = {}): this {
    const open = this.case.open.find((o) => o.kind === 'act');
    if (open === undefined) throw new Error('no action is open');
    this.contents += 1;
    const contentHash = String(this.contents).padStart(64, '0');
    const result = { ...found(), toolCallId: open.toolCallId, contentHash, ...over } as LedgerEntry;
    return this.takeAt(open.step, { service: open.service as 'tool', result });
  }

  evaluate(result: EvaluatorResult): this {
    return this.take('review', { service: 'evaluator', result });
  }

  final(kind: 'final' | 'refine' = 'final'): this {
    return this.take(kind, { service: 'investigator', result: draftResult });
  }

  prove(result: EvidenceResult = proofAccepted()): this {
    return this.take('proof', { service: 'evidence', result });
  }

  judge(result: SemanticResult = judged('SUPPORTED')): this {
    return this.take('verdict', { service: 'semantic', result });
  }

  at(ms: number): this {
    this.nowMs = T0 + ms;
    return this.decide({ type: 'PassTime' });
  }

  finish(): this {
    return this.decide({ type: 'FinishSealed', sealedSeq: 99, earlierCancel: null });
  }

  of<Type extends CaseEvent['type']>(type: Type): CaseEventOf<Type>[] {
    return this.events.filter((event): event is CaseEventOf<Type> => event.type === type);
  }

  /** One action of the first hypothesis done, both others rated low, and its turn come again. */
  untilEvidence(): this {
    const low = turn({ kind: 'assess' }, { confidence: 'contradicted' });
    return this.form().turn(turn(research())).turn(low).turn(low).act().turn(low);
  }

  /** The first hypothesis asks for its diagnosis on good grounds. */
  untilRequest(next: Next = requestDiagnosis(`f${this.case.turn}-0`)): this {
    return this.turn(
      turn(next, {
        findings: [finding('tc-1-0', { h1: 'consistent', h2: 'inconsistent' })],
        confidence: 'strongly_supported',
      }),
    );
  }
}

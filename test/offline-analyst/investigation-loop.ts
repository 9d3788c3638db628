import type { AddressInfo } from 'node:net';
import { hashOf } from '@inquest/contracts/canonical-json';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ItemVerdict, Snapshot, Violation } from '@inquest/contracts/service-facts';
import type { GuardInput } from '@inquest/evidence-rules/guard-input';
import { validateDraft, type Verdict } from '@inquest/evidence-rules/validate-draft';
import { createRedactor } from '@inquest/redaction/redactor';
import { TOOL_CATALOGUE } from '@inquest/toolsets/catalogue';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import type { IncidentSource } from '@inquest/toolsets/incident-source';
import { incidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName, type ToolCall, type ToolRunner } from '@inquest/toolsets/run-tool';
import { SHIPPED_CORPUS } from '../../apps/knowledge-rag/src/config';
import { readCorpus } from '../../apps/knowledge-rag/src/corpus/read-corpus';
import { lookUp } from '../../apps/knowledge-rag/src/lookup/lookup';
import { SearchIndex } from '../../apps/knowledge-rag/src/search/search-index';
import { boundaryOf, judgeDocument } from '../../apps/semantic-guard/src/judge/judge-document';
import { validateVerdicts } from '../../apps/semantic-guard/src/judge/verdict-validation';

export type Address = Pick<AddressInfo, 'port'>;
type Wire = { [key: string]: unknown };
type ToolCallWire = { id: string; function: { name: string; arguments: string } };
type Choice = { finish_reason: string; message: { content: string | null; tool_calls?: ToolCallWire[] } };

export const RUN_ID = '00000000-0000-8000-8000-000000000000' as RunId;
const AS_OF = '2026-12-01T12:00:00.000Z';
const TURNS_MAX = 12;
const TOOL_CALLS_MAX = 40;

export const TOOLS = [...TOOL_CATALOGUE.values()].map(({ name, description, parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}));

/** One request to the analyst over real HTTP. */
export const complete = async (analyst: Address, body: Wire): Promise<Choice> => {
  const response = await fetch(`http://127.0.0.1:${analyst.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { choices?: Choice[] };
  const choice = answer.choices?.[0];
  if (!choice) throw new Error(`HTTP ${response.status}: ${JSON.stringify(answer)}`);
  return choice;
};

const user = (document: unknown): Wire => ({ role: 'user', content: JSON.stringify(document) });

const metaOf = (entry: LedgerEntry) => {
  const { toolCallId, tool, status, evidenceStatus, errorClass, scope, window, dataSpan, matched, returned } =
    entry;
  const { truncated, limitHit, sampled, partial, selectorKnown } = entry;
  const own = {
    toolCallId,
    tool,
    status,
    evidenceStatus,
    errorClass,
    scope,
    window,
    dataSpan,
    matched,
    returned,
  };
  return { ...own, truncated, limitHit, sampled, partial, selectorKnown };
};

export type Investigation = {
  question: string;
  zone: string;
  entries: LedgerEntry[];
  draftText: string;
  draft: DiagnosisDraft;
  /** Tool calls of each turn. */
  turns: { tool: string; arguments: string }[][];
  messages: Wire[];
};

const CALL = { providerId: null, asOf: AS_OF, projectionBytesMax: 32 * 1024 };

let corpus: Promise<SearchIndex> | undefined;

/** As agent-runner and knowledge-rag share the work: the runbooks are looked up, everything else is asked of the source. */
export const callTool = async (call: ToolCall, runner: ToolRunner): Promise<LedgerEntry> => {
  if (call.tool !== 'knowledge_lookup') return runTool(call, runner);
  corpus ??= readCorpus(SHIPPED_CORPUS).then((runbooks) => new SearchIndex(runbooks));
  const index = await corpus;
  const search = (query: string, limit: number) => index.search(query, limit);
  const lookup = { search, redactor: runner.redactor, signal: runner.signal };
  return lookUp({ ...call, deadlineAt: AS_OF }, lookup);
};

/** The tool message of a call, as the agent-runner writes it. */
export const toolMessage = (entry: LedgerEntry): Wire => ({
  role: 'tool',
  tool_call_id: entry.toolCallId,
  content: JSON.stringify({ meta: metaOf(entry), projection: entry.projection.inline ?? null }),
});

/** Runs the Diagnosis Agent's loop as the agent-runner does: the analyst over HTTP, the tools in process. */
export const investigate = async (
  analyst: Address,
  source: IncidentSource,
  asked: { question: string; zone: string; concludeAfter?: number; withWindow?: boolean },
): Promise<Investigation> => {
  const runner = {
    tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
    sources: incidentSources([source]),
    redactor: createRedactor(RUN_ID),
    signal: new AbortController().signal,
  };
  const entries: LedgerEntry[] = [];
  const turns: Investigation['turns'] = [];
  const messages: Wire[] = [];
  const window = asked.withWindow ? (await source.extent(runner.signal)).window : null;
  const questionOf = () => ({
    ...{
      kind: 'question',
      intent: 'DIAGNOSIS',
      question: asked.question,
      source: source.name,
      window,
      zone: asked.zone,
    },
    ...{ asOf: AS_OF, locale: 'en', previousRun: null },
    limits: { toolCallsLeft: TOOL_CALLS_MAX - entries.length, callsPerResponseMax: 16 },
  });
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const concluding = turn >= (asked.concludeAfter ?? TURNS_MAX);
    const choice = await complete(analyst, {
      model: 'rules-diagnosis',
      messages: [
        { role: 'system', content: 'You diagnose.' },
        user(questionOf()),
        ...messages,
        ...(concluding ? [user({ kind: 'conclude' })] : []),
      ],
      tools: TOOLS,
      tool_choice: concluding ? 'none' : 'auto',
    });
    const { content, tool_calls: calls } = choice.message;
    if (!calls) {
      const draftText = content ?? '';
      const draft = JSON.parse(draftText) as DiagnosisDraft;
      return { ...asked, entries, draftText, draft, turns, messages };
    }
    turns.push(calls.map((call) => ({ tool: call.function.name, arguments: call.function.arguments })));
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: calls.map((call) => ({ ...call, type: 'function' })),
    });
    for (const call of calls) {
      const { name: tool, arguments: argumentsText } = call.function;
      const entry = await callTool(
        { ...CALL, toolCallId: call.id as ToolCallId, tool, argumentsText, source: source.name },
        runner,
      );
      entries.push(entry);
      messages.push(toolMessage(entry));
    }
  }
  throw new Error(`no draft after ${TURNS_MAX} turns`);
};

const guardInput = (
  run: Pick<Investigation, 'entries' | 'question' | 'zone'>,
  draftText: string,
): GuardInput => ({
  runId: RUN_ID,
  intent: 'DIAGNOSIS',
  revision: 1,
  draftText,
  draftBytesMax: 128 * 1024,
  ledger: run.entries.map((entry) => ({ kind: 'RESULT', entry, projection: entry.projection.inline ?? '' })),
  question: run.question,
  zone: run.zone,
  asOf: AS_OF,
  repairOf: [],
  ruleSet: 'evidence-2',
});

/** What the EvidenceGuard says of the draft. */
export const guarded = (run: Investigation): Verdict => validateDraft(guardInput(run, run.draftText));

/** What it says of a repaired draft. */
export const guardedRepair = (
  run: Investigation,
  before: string,
  repairOf: readonly Violation[],
  after: string,
): Verdict => validateDraft({ ...guardInput(run, after), revision: 2, previousDraftText: before, repairOf });

const BOUNDARY = boundaryOf('5f0c7d2e9a');

/** What the judge of the analyst says of a frozen snapshot, as the SemanticGuard reads it; an invalid answer throws. */
export const judged = async (analyst: Address, snapshot: Snapshot): Promise<ItemVerdict[]> => {
  const snapshotHash = hashOf(snapshot);
  const messages = [
    { role: 'system', content: 'You judge.' },
    user(judgeDocument(snapshot, snapshotHash, BOUNDARY)),
  ];
  const choice = await complete(analyst, { model: 'rules-judge', messages });
  const answer = { text: choice.message.content ?? '', finishReason: choice.finish_reason };
  const validation = validateVerdicts(answer, snapshot, snapshotHash);
  if (validation.kind === 'INVALID') throw new Error(`the verdict is invalid: ${validation.why}`);
  return validation.verdicts;
};

/** The draft after the one repair. */
export const repaired = async (
  analyst: Address,
  run: Investigation,
  draft: string,
  violations: readonly Violation[],
): Promise<string> => {
  const choice = await complete(analyst, {
    model: 'rules-diagnosis',
    tool_choice: 'none',
    messages: [
      user({
        kind: 'question',
        intent: 'DIAGNOSIS',
        question: run.question,
        limits: { toolCallsLeft: 0, callsPerResponseMax: 16 },
      }),
      ...run.messages,
      user({
        kind: 'repair',
        draft,
        violations,
        validToolCallIds: run.entries.map(({ toolCallId }) => toolCallId),
      }),
    ],
  });
  return choice.message.content ?? '';
};

export type Answering = { question: string; zone: string; entries: LedgerEntry[]; draftText: string };

/** A knowledge question, from the forced lookup to the answer. */
export const answerQuestion = async (analyst: Address, question: string): Promise<Answering> => {
  const opening = user({
    kind: 'question',
    intent: 'KNOWLEDGE_QUERY',
    question,
    limits: { toolCallsLeft: 1, callsPerResponseMax: 1 },
  });
  const tools = TOOLS.filter((tool) => tool.function.name === 'knowledge_lookup');
  const forced = { type: 'function', function: { name: 'knowledge_lookup' } };
  const first = await complete(analyst, {
    model: 'rules-diagnosis',
    messages: [opening],
    tools,
    tool_choice: forced,
  });
  const [call] = first.message.tool_calls ?? [];
  if (!call || first.message.tool_calls?.length !== 1)
    throw new Error('a knowledge question takes one lookup');
  const { name: tool, arguments: argumentsText } = call.function;
  const runner = {
    tools: new Map(),
    sources: incidentSources([]),
    redactor: createRedactor(RUN_ID),
    signal: new AbortController().signal,
  };
  const entry = await callTool(
    { ...CALL, toolCallId: call.id as ToolCallId, tool, argumentsText, source: null },
    runner,
  );
  const messages = [
    opening,
    { role: 'assistant', content: null, tool_calls: [{ ...call, type: 'function' }] },
    toolMessage(entry),
  ];
  const last = await complete(analyst, { model: 'rules-diagnosis', messages, tools, tool_choice: 'none' });
  return { question, zone: 'UTC', entries: [entry], draftText: last.message.content ?? '' };
};

export const guardedAnswer = (run: Answering): Verdict =>
  validateDraft({ ...guardInput(run, run.draftText), intent: 'KNOWLEDGE_QUERY' });

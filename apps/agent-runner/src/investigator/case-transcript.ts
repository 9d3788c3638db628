import { canonicalJson } from '@inquest/contracts/canonical-json';
import type { InvestigatorRequested } from '@inquest/contracts/case-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ChatMessage } from '@inquest/model-client/chat-request';
import { metaOfEntry } from '../agent/transcript';
import { FINAL_DIAGNOSIS_V1 } from '../prompts/final-diagnosis-v1';
import { INVESTIGATION_PROMPTS } from '../prompts/investigation';

/** All projections together; above it some are told by their meta alone, the same ones in every attempt. */
export const EVIDENCE_BYTES_MAX = 400 * 1024;

export type CaseEvidence = { entry: LedgerEntry; projection: string };

const userMessage = (value: unknown): ChatMessage => ({ role: 'user', content: canonicalJson(value) });

const caseDocument = (request: InvestigatorRequested): ChatMessage =>
  userMessage({
    kind: 'case',
    question: request.question,
    source: request.source,
    window: request.window,
    zone: request.zone,
    asOf: request.asOf,
    locale: request.locale,
    hypotheses: request.hypotheses,
    findings: request.findings,
    declined: request.declined,
    actions: request.actions.map(
      ({ toolCallId, hypothesisId, tool, expectedIfTrue, expectedIfFalse, state }) => ({
        toolCallId,
        hypothesisId,
        tool,
        expectedIfTrue,
        expectedIfFalse,
        state,
      }),
    ),
  });

type Shown = { action: InvestigatorRequested['actions'][number]; found: CaseEvidence };

/** What a turn is about: its own results, and those that a finding holds for or against its hypothesis. */
const relatedTo = ({ hypothesisId, leading, findings }: InvestigatorRequested) => {
  const subject = hypothesisId ?? leading;
  const cited = new Set<string>(
    findings
      .filter(({ cells }) => cells.some((cell) => cell.hypothesisId === subject && cell.cell !== 'neutral'))
      .flatMap(({ toolCallIds }) => toolCallIds),
  );
  return ({ action }: Shown): boolean => action.hypothesisId === subject || cited.has(action.toolCallId);
};

/** Which results go without their projection: the oldest, and of those first what the turn is not about. */
const withoutProjection = (request: InvestigatorRequested, shown: readonly Shown[]): ReadonlySet<Shown> => {
  const isRelated = relatedTo(request);
  const firstToGo = [...shown.filter((each) => !isRelated(each)), ...shown.filter(isRelated)];
  const bytesOf = ({ found }: Shown) => Buffer.byteLength(found.projection, 'utf8');
  let bytes = shown.reduce((sum, each) => sum + bytesOf(each), 0);
  const gone = new Set<Shown>();
  for (const each of firstToGo) {
    if (bytes <= EVIDENCE_BYTES_MAX) break;
    bytes -= bytesOf(each);
    gone.add(each);
  }
  return gone;
};

/** Each result as a call and its answer, in the form in which a run's agent sees them. */
const evidenceMessages = (
  request: InvestigatorRequested,
  evidence: ReadonlyMap<string, CaseEvidence>,
): ChatMessage[] => {
  const settled = request.actions.flatMap((action): Shown[] => {
    const found = action.state === 'settled' ? evidence.get(action.toolCallId) : undefined;
    return found === undefined ? [] : [{ action, found }];
  });
  const gone = withoutProjection(request, settled);
  return settled.flatMap((each): ChatMessage[] => {
    const { action, found } = each;
    return [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: action.toolCallId,
            type: 'function',
            function: { name: action.tool, arguments: action.argumentsText },
          },
        ],
      },
      {
        role: 'tool',
        tool_call_id: action.toolCallId,
        content: JSON.stringify({
          meta: metaOfEntry(found.entry),
          projection: gone.has(each) ? null : found.projection,
        }),
      },
    ];
  });
};

const lastMessage = (request: InvestigatorRequested, draft: string | null): ChatMessage => {
  if (request.mode === 'REPAIR' && request.repair !== null) {
    const { violations, validToolCallIds } = request.repair;
    return userMessage({ kind: 'repair', draft, violations, validToolCallIds });
  }
  const leading = request.hypotheses.find(({ id }) => id === request.leading);
  if (request.mode === 'DIAGNOSE')
    return userMessage({
      kind: 'conclude',
      leading: leading === undefined ? null : { id: leading.id, statement: leading.statement },
    });
  return userMessage({
    kind: 'investigate',
    mode: request.mode,
    turn: request.turn,
    hypothesisId: request.hypothesisId,
    permitted: request.permitted,
    hypothesesMax: request.hypothesesMax,
    actionsLeft: request.actionsLeft,
    actionsPerTurnMax: request.actionsPerTurnMax,
    previousInvalid: request.previousInvalid,
    leading: request.leading,
  });
};

/** The conversation of one call: a pure function of the request and the facts that it names. */
export const caseTranscript = (
  request: InvestigatorRequested,
  evidence: ReadonlyMap<string, CaseEvidence>,
  draft: string | null,
): ChatMessage[] => {
  const isFinal = request.mode === 'DIAGNOSE' || request.mode === 'REPAIR';
  const prompt = isFinal ? FINAL_DIAGNOSIS_V1 : INVESTIGATION_PROMPTS[request.promptVersion];
  return [
    { role: 'system', content: prompt.text },
    caseDocument(request),
    ...evidenceMessages(request, evidence),
    lastMessage(request, draft),
  ];
};

import { partsOfStep } from '@inquest/contracts/ids';
import {
  calls,
  json,
  text,
  type CallSpec,
  type Script,
  type ScriptedReply,
  type ScriptedRequest,
} from './scripted-model';

export type ScriptedRole = 'router' | 'agent' | 'judge';
export type JudgeBehaviour =
  'SUPPORTED' | 'UNSUPPORTED' | 'INVALID' | 'INVENTED_QUOTE' | 'REFUSED' | 'ERROR_500' | 'HANG';

export type RouterBehaviour = 'ROUTE' | 'INVALID' | 'ERROR_500' | 'HANG';

export type ScriptedRunKnobs = {
  intent?: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY' | 'OUT_OF_SCOPE';
  /** Calls of each investigating turn; the draft follows. Default: one turn of three parallel calls. */
  turns?: { name: string; arguments: Record<string, unknown> }[][];
  /** How many drafts, from the first, make a statement that their evidence does not carry. */
  badDrafts?: 0 | 1 | 2;
  /** What the judge does in its attempts; the last goes on. */
  judge?: JudgeBehaviour[];
  /** Whether the judge knows its canaries from statements that hold; default PASS. They are no attempts of a run. */
  canaries?: 'PASS' | 'FAIL';
  /** What the router does in its attempts; the last goes on. */
  router?: RouterBehaviour[];
  /** Ids of calls as the provider writes them; by default unique in the run. `turn` from 1. */
  idOf?: (turn: number, index: number) => unknown;
  /** Before every answer. */
  delayMs?: number;
  /** Takes a request over: undefined leaves it to the script. `n` counts the requests with its key. */
  intercept?: (
    role: ScriptedRole,
    request: ScriptedRequest,
    at: { runId: string; step: string; turn: number; attempt: number },
  ) => ScriptedReply | undefined | Promise<ScriptedReply | undefined>;
};

const FIRST_LOOK = [
  { name: 'active_alerts', arguments: {} },
  { name: 'list_objects', arguments: { limit: 5 } },
  { name: 'search_logs', arguments: { limit: 5 } },
];

type Document = { kind?: string; [member: string]: unknown };

const parsed = (content: string | null): Document => {
  try {
    const value: unknown = JSON.parse(content ?? '');
    return typeof value === 'object' && value !== null ? (value as Document) : {};
  } catch {
    return {};
  }
};

const documentsOf = (request: ScriptedRequest): Document[] =>
  request.body.messages.filter(({ role }) => role === 'user').map(({ content }) => parsed(content));

/** A script that plays a whole run over whatever tools answer: router, calls in parallel, a draft that holds, a verdict. */
export const scriptedRun = (knobs: ScriptedRunKnobs = {}): Script => {
  const play = (request: ScriptedRequest): ScriptedReply | Promise<ScriptedReply> => {
    const documents = documentsOf(request);
    const [runId = '', step = ''] = request.key.split('/');
    const parts = partsOfStep(step);
    const at = { runId, step, turn: parts?.turn ?? 0, attempt: parts?.attempt ?? 1 };
    const role = roleOf(documents[0]?.kind);
    const answer = () => {
      const canary = /^canary\/[^/]*\/([^/]*)/.exec(request.key)?.[1];
      if (canary !== undefined)
        return judge(documents[0] ?? {}, canaryVerdict(canary, knobs.canaries ?? 'PASS'));
      switch (role) {
        case 'router':
          return route(knobs, at.attempt);
        case 'judge':
          return judge(documents[0] ?? {}, pick(knobs.judge ?? ['SUPPORTED'], at.attempt));
        case 'agent':
          return investigate(knobs, request, documents);
      }
    };
    const taken = knobs.intercept?.(role, request, at);
    return taken instanceof Promise ? taken.then((reply) => reply ?? answer()) : (taken ?? answer());
  };
  return async (request) => ({ delayMs: knobs.delayMs, ...(await play(request)) });
};

/** Of the canaries only the clean ones hold. */
const canaryVerdict = (name: string, canaries: 'PASS' | 'FAIL'): JudgeBehaviour =>
  name.startsWith('clean') === (canaries === 'PASS') ? 'SUPPORTED' : 'UNSUPPORTED';

const roleOf = (kind: string | undefined): ScriptedRole =>
  kind === 'route' ? 'router' : kind === 'judge' ? 'judge' : 'agent';

const pick = <T>(behaviours: readonly T[], attempt: number): T => {
  const behaviour = behaviours[Math.min(attempt, behaviours.length) - 1];
  if (behaviour === undefined) throw new Error('a behaviour is needed for every attempt');
  return behaviour;
};

const route = (knobs: ScriptedRunKnobs, attempt: number): ScriptedReply => {
  const behaviour: RouterBehaviour = pick<RouterBehaviour>(knobs.router ?? ['ROUTE'], attempt);
  switch (behaviour) {
    case 'ROUTE':
      return json({ intent: knobs.intent ?? 'DIAGNOSIS' });
    case 'INVALID':
      return text('It depends.');
    case 'ERROR_500':
      return { kind: 'RAW', status: 500, body: '{}' };
    case 'HANG':
      return { kind: 'HANG_HEADERS' };
  }
};

const investigate = (
  knobs: ScriptedRunKnobs,
  request: ScriptedRequest,
  documents: Document[],
): ScriptedReply => {
  const question = documents[0] ?? {};
  const turn = request.body.messages.filter(({ role }) => role === 'assistant').length + 1;
  const last = documents.at(-1)?.kind;
  if (question.intent === 'KNOWLEDGE_QUERY') {
    const lookup = { name: 'knowledge_lookup', arguments: { query: String(question.question) } };
    return turn === 1 ? propose(knobs, [lookup], turn) : json(answerOf(toolResults(request)));
  }
  const wanted = (knobs.turns ?? [FIRST_LOOK])[turn - 1];
  if (wanted && last !== 'conclude' && last !== 'repair') return propose(knobs, wanted, turn);
  const bad = (knobs.badDrafts ?? 0) > (last === 'repair' ? 1 : 0);
  return json(draftOf(toolResults(request), bad));
};

const propose = (
  knobs: ScriptedRunKnobs,
  wanted: { name: string; arguments: object }[],
  turn: number,
): ScriptedReply => {
  const idOf = knobs.idOf ?? ((t: number, i: number) => `call_${t}_${i}`);
  return calls(
    ...wanted.map(({ name, arguments: args }, index): CallSpec => ({
      id: idOf(turn, index),
      name,
      arguments: JSON.stringify(args),
    })),
  );
};

type ToolResult = {
  meta: Record<string, unknown> & { toolCallId: string; tool: string };
  projection: string | null;
};

const toolResults = (request: ScriptedRequest): ToolResult[] =>
  request.body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => parsed(content) as unknown as ToolResult);

const negativeScope = ({ meta }: ToolResult) => {
  const scope = { ...(meta.scope as object), ...(meta.window ? { window: meta.window } : {}) };
  return Object.keys(scope).length > 0 ? { scope } : {};
};

const isSound = ({ meta }: ToolResult) =>
  !meta.truncated && !meta.limitHit && !meta.sampled && !meta.partial && meta.selectorKnown !== false;

const analysisOf = (result: ToolResult, id: string) => {
  const { toolCallId, tool, evidenceStatus } = result.meta;
  const cited = { id, toolCallIds: [toolCallId] };
  if (evidenceStatus === 'EVIDENCE_FOUND') {
    const facts = [{ toolCallId, path: '/tool', value: tool, policy: 'exact' }];
    return { ...cited, kind: 'OBSERVATION', text: 'The query returned data.', facts };
  }
  return {
    ...cited,
    kind: 'NEGATIVE_OBSERVATION',
    text: 'The query returned nothing.',
    ...negativeScope(result),
  };
};

/** A report that says of every result what can be said of any, and cites the rest as limitations. */
const draftOf = (results: readonly ToolResult[], bad: boolean) => {
  const usable = results.filter(
    (result) =>
      result.meta.evidenceStatus === 'EVIDENCE_FOUND' ||
      (result.meta.evidenceStatus === 'NO_EVIDENCE' && isSound(result)),
  );
  const analyses = usable.map((result, i) => analysisOf(result, `a${i + 1}`));
  const [first, ...rest] = analyses;
  const spoiled = first && { ...first, text: 'The query returned 98765 errors.' };
  return {
    conclusion: {
      status: 'INCONCLUSIVE',
      text: 'The evidence shows no single cause.',
      analysisIds: analyses.map(({ id }) => id),
    },
    analyses: bad ? [spoiled, ...rest] : analyses,
    actionPlan: [],
    recommendations: [],
    limitations: results
      .filter((result) => result.meta.evidenceStatus === 'ERROR' || !isSound(result))
      .map(({ meta }, i) => ({
        id: `l${i + 1}`,
        text: 'A call did not return everything.',
        toolCallIds: [meta.toolCallId],
      })),
  };
};

const answerOf = (results: readonly ToolResult[]) => {
  const [lookup] = results;
  const documents = (parsed(lookup?.projection ?? null).documents ??
    parsed(lookup?.projection ?? null).rows) as { id: string }[] | undefined;
  const [document] = documents ?? [];
  if (!lookup || !document) return { items: [] };
  return {
    items: [
      {
        id: 'k1',
        text: 'The runbook covers this.',
        toolCallId: lookup.meta.toolCallId,
        documentIds: [document.id],
      },
    ],
  };
};

type JudgeItem = {
  id: string;
  section: string;
  kind: string | null;
  citations: string[];
  analysisIds: string[];
  scopeHash: string | null;
};
type JudgeEvidence = { toolCallId: string; projection: string };

const verdictOf = (
  item: JudgeItem,
  items: readonly JudgeItem[],
  evidence: readonly JudgeEvidence[],
  invent: boolean,
) => {
  const verdict = {
    item_id: item.id,
    verdict: 'SUPPORTED',
    reason_code: 'ENTAILED',
    evidence_quote: null,
    tool_call_id: null,
    scope_hash: null,
  };
  if (item.section === 'limitation') return verdict;
  const bound = items.filter(({ id }) => item.analysisIds.includes(id));
  if (item.kind === 'NEGATIVE_OBSERVATION')
    return { ...verdict, tool_call_id: item.citations[0], scope_hash: item.scopeHash };
  const positive = bound.filter(({ kind }) => kind !== 'NEGATIVE_OBSERVATION');
  if (item.citations.length === 0 && bound.length > 0 && positive.length === 0) {
    return { ...verdict, tool_call_id: bound[0]?.citations[0] };
  }
  const cited = [...item.citations, ...positive.flatMap(({ citations }) => citations)];
  const source = evidence.find(({ toolCallId }) => cited.includes(toolCallId));
  // Between two lines of the boundary stands the projection, which begins with its tool or its first figures.
  const projection = source?.projection.split('\n').slice(1, -1).join('\n') ?? '';
  const quote = invent ? 'nobody ever wrote this down' : projection.slice(0, 24);
  return { ...verdict, evidence_quote: quote, tool_call_id: source?.toolCallId };
};

const judge = (document: Document, behaviour: JudgeBehaviour): ScriptedReply => {
  const items = (document.items ?? []) as JudgeItem[];
  const evidence = (document.evidence ?? []) as JudgeEvidence[];
  const verdicts = items.map((item) => verdictOf(item, items, evidence, behaviour === 'INVENTED_QUOTE'));
  switch (behaviour) {
    case 'SUPPORTED':
    case 'INVENTED_QUOTE':
      return json({ snapshotHash: document.snapshotHash, verdicts });
    case 'UNSUPPORTED':
      return json({
        snapshotHash: document.snapshotHash,
        verdicts: verdicts.map((verdict, i) =>
          i > 0
            ? verdict
            : {
                ...verdict,
                verdict: 'UNSUPPORTED',
                reason_code: 'NOT_IN_EVIDENCE',
                evidence_quote: null,
                tool_call_id: null,
                scope_hash: null,
              },
        ),
      });
    case 'INVALID':
      return text('All items look fine to me.');
    case 'REFUSED':
      return {
        kind: 'RAW',
        status: 200,
        body: '{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}',
      };
    case 'ERROR_500':
      return { kind: 'RAW', status: 500, body: '{}' };
    case 'HANG':
      return { kind: 'HANG_HEADERS' };
  }
};

import { isTerminal, runDecision, type RunDecision, type RunEvent } from '@inquest/contracts/run-decision';
import type { RunEventOf, TerminalEvent } from '@inquest/contracts/run-decision';

export type ChainEntry = { seq: number; decision: RunDecision };
export type Told<Event> = { event: Event; seq: number };
export type StoryCall = {
  accepted: RunEventOf<'ToolActionAccepted'>;
  completed: RunEventOf<'ToolInvocationCompleted'> | null;
};

/** What the decision chain says of a run, sorted by what a bundle needs of it. */
export type RunStory = {
  chain: readonly ChainEntry[];
  started: RunEventOf<'RunStarted'> | null;
  intent: RunEventOf<'IntentDecided'>['intent'] | null;
  /** In the order of acceptance. */
  calls: readonly StoryCall[];
  /** Steps whose results came too late: their content is readable by nobody. */
  discarded: ReadonlySet<string>;
  drafts: readonly RunEventOf<'DraftReceived'>[];
  accepted: RunEventOf<'EvidenceAccepted'> | null;
  rejections: readonly RunEventOf<'EvidenceRejected'>[];
  /** Steps in which the judge was asked, in order. */
  reviews: readonly RunEventOf<'StepRequested'>[];
  attempts: readonly RunEventOf<'SemanticAttemptRecorded'>[];
  sealed: Told<RunEventOf<'OutcomeSealed'>> | null;
  terminal: Told<TerminalEvent> | null;
  terminals: number;
};

type Of = <Type extends RunEvent['type']>(type: Type) => RunEventOf<Type>[];

const callsOf = (of: Of): StoryCall[] => {
  const completions = new Map(of('ToolInvocationCompleted').map((event) => [event.toolCallId, event]));
  return of('ToolActionAccepted').map((accepted) => ({
    accepted,
    completed: completions.get(accepted.toolCallId) ?? null,
  }));
};

/** Reads the chain as it is; whether it is sound is a question of its own. */
export const runStory = (chain: readonly ChainEntry[]): RunStory => {
  const told = chain.flatMap(({ seq, decision }) => decision.events.map((event) => ({ event, seq })));
  const of: Of = <Type extends RunEvent['type']>(type: Type) =>
    told.flatMap(({ event }) => (event.type === type ? [event as RunEventOf<Type>] : []));
  const terminals = told.filter((each): each is Told<TerminalEvent> => isTerminal(each.event));
  const sealed = told.find(
    (each): each is Told<RunEventOf<'OutcomeSealed'>> => each.event.type === 'OutcomeSealed',
  );
  return {
    chain,
    started: of('RunStarted')[0] ?? null,
    intent: of('IntentDecided').at(-1)?.intent ?? null,
    calls: callsOf(of),
    discarded: new Set(of('LateResultDiscarded').map(({ step }) => step)),
    drafts: of('DraftReceived'),
    accepted: of('EvidenceAccepted').at(-1) ?? null,
    rejections: of('EvidenceRejected'),
    reviews: of('StepRequested').filter(({ service }) => service === 'semantic'),
    attempts: of('SemanticAttemptRecorded'),
    sealed: sealed ?? null,
    terminal: terminals[0] ?? null,
    terminals: terminals.length,
  };
};

/** Chain entries among facts, by position; what breaks its contract is left out. */
export const chainOf = (facts: readonly { seq: number; subject: string; data: unknown }[]): ChainEntry[] =>
  facts
    .filter(({ subject }) => subject.endsWith('.run'))
    .flatMap(({ seq, data }) => {
      const decision = runDecision.schema.safeParse(data);
      return decision.success ? [{ seq, decision: decision.data }] : [];
    })
    .sort((a, b) => a.seq - b.seq);

/** A result that the harness has taken in; one closed by its deadline, or come too late, may be read by nobody. */
export const isReadable = ({ completed }: StoryCall): boolean =>
  completed !== null && completed.errorClass !== 'STEP_TIMED_OUT';

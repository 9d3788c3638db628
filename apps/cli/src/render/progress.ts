import type { RunFrame } from '@inquest/contracts/run-frame';
import { count, padEnd, seconds } from './text';
import type { Style } from './style';

export type Mark = 'done' | 'bad' | 'warn' | 'info';

/** One line of live progress, before it is drawn. */
export type ProgressLine = { atMs: number; mark: Mark; subject: string; text: string };

/** What later frames need to know of earlier ones. */
export type Progress = {
  /** Instant of the first frame, ms since the epoch; lines count from it. */
  startedAtMs: number | undefined;
  tools: Readonly<Record<string, string>>;
  requestedAtMs: Readonly<Record<string, number>>;
  turns: number;
  /** What is being waited for, for a status line. */
  waitingFor: string;
  ended: boolean;
};

export const NO_PROGRESS: Progress = {
  startedAtMs: undefined,
  tools: {},
  requestedAtMs: {},
  turns: 0,
  waitingFor: 'the run',
  ended: false,
};

const SERVICE_TITLES: Record<string, string> = {
  router: 'router',
  agent: 'agent',
  tool: 'tool',
  rag: 'knowledge',
  evidence: 'evidence guard',
  semantic: 'semantic guard',
  evaluator: 'evaluator',
};
const titleOf = (service: string): string => SERVICE_TITLES[service] ?? service;

type Told = Omit<ProgressLine, 'atMs'>;
const tell = (mark: Mark, subject: string, text: string): Told => ({ mark, subject, text });

const LAYER: Record<'NOT_STARTED' | 'ABORTED' | 'TIMED_OUT', string> = {
  NOT_STARTED: 'was not started',
  ABORTED: 'was interrupted',
  TIMED_OUT: 'ran into its time-out',
};

const took = (progress: Progress, step: string, atMs: number): string => {
  const from = progress.requestedAtMs[step];
  return from === undefined ? '' : `  ${seconds(Math.max(0, atMs - from))}`;
};

const toolLine = (
  progress: Progress,
  frame: Extract<RunFrame, { type: 'tool.completed' }>,
  atMs: number,
): Told => {
  const mark = frame.status === 'ERROR' ? 'bad' : frame.evidenceStatus === 'EVIDENCE_FOUND' ? 'done' : 'warn';
  const found = `${padEnd(frame.status, 5)} ${padEnd(frame.evidenceStatus, 14)}`;
  const extras = [frame.errorClass, frame.truncated ? 'truncated' : null]
    .filter((part) => part !== null)
    .join(', ');
  const subject = progress.tools[frame.toolCallId] ?? 'tool';
  return tell(
    mark,
    subject,
    `${found} ${frame.toolCallId}${took(progress, frame.step, atMs)}${extras && `  ${extras}`}`,
  );
};

const guardLine = (
  frame: Extract<RunFrame, { type: 'evidence.accepted' | 'evidence.rejected' | 'semantic.judged' }>,
): Told => {
  if (frame.type === 'evidence.accepted') {
    const what = `${count(frame.items, 'statement')} on ${count(frame.verifiedSources, 'source')}`;
    return tell('done', 'evidence guard', `ACCEPTED  draft ${frame.revision}: ${what}`);
  }
  if (frame.type === 'evidence.rejected') {
    return tell(
      'bad',
      'evidence guard',
      `REJECTED  draft ${frame.revision}: rules ${frame.rules.join(', ')}`,
    );
  }
  const mark = frame.outcome === 'SUPPORTED' ? 'done' : 'bad';
  const failure = frame.failure === null ? '' : `  ${frame.failure}`;
  const attempt = frame.attempt > 1 ? `  attempt ${frame.attempt}` : '';
  return tell(mark, 'semantic guard', `${frame.outcome}${failure}${attempt}`);
};

const spent = ({ modelCalls, toolCalls }: { modelCalls: number; toolCalls: number }): string =>
  `${count(modelCalls, 'model call')}, ${count(toolCalls, 'tool call')}`;

const lineOf = (progress: Progress, frame: RunFrame, atMs: number): Told | undefined => {
  switch (frame.type) {
    case 'intent.decided':
      return tell('done', 'router', frame.intent);
    case 'tool.rejected':
      return tell('bad', 'tool call', `rejected: ${frame.reason}`);
    case 'tool.completed':
      return toolLine(progress, frame, atMs);
    case 'attempt.failed':
      return tell('warn', titleOf(frame.service), `attempt failed: ${frame.failure}`);
    case 'step.timed-out':
      return tell('warn', titleOf(frame.service), 'timed out');
    case 'draft.received':
      return tell('done', 'draft', `revision ${frame.revision}, ${(frame.bytes / 1024).toFixed(1)} KiB`);
    case 'evidence.accepted':
    case 'evidence.rejected':
    case 'semantic.judged':
      return guardLine(frame);
    case 'owner.disconnected':
      return tell('warn', 'owner', 'disconnected');
    case 'owner.attached':
      return tell('info', 'owner', 'attached');
    case 'cancel.requested':
      return tell(
        'warn',
        'cancellation',
        `requested (${frame.cause}), ${count(frame.outstanding, 'step')} outstanding`,
      );
    case 'cancel.interrupted':
      return tell('warn', 'cancellation', `${titleOf(frame.service)} ${LAYER[frame.how]}`);
    case 'cancel.discarded':
      return tell('warn', 'cancellation', `late result of ${titleOf(frame.service)} discarded`);
    case 'run.released':
      return tell('done', 'released', `${frame.intent}, ${spent(frame)}`);
    case 'run.fell-back':
      return tell('bad', 'fallback', `${frame.fallback}, ${spent(frame)}`);
    case 'run.failed':
      return tell('bad', 'failed', `${frame.reason}, ${spent(frame)}`);
    case 'run.cancelled':
      return tell('bad', 'cancelled', `${frame.cause}, ${spent(frame)}`);
    case 'run.started':
    case 'step.requested':
    case 'tool.accepted':
    case 'outcome.sealed':
      return undefined;
  }
};

const waitingFor = (progress: Progress, frame: RunFrame): string => {
  switch (frame.type) {
    case 'run.started':
      return 'the router';
    case 'step.requested':
      if (frame.service === 'agent')
        return frame.kind === 'repair' ? 'the repaired draft' : `the agent, turn ${progress.turns}`;
      if (frame.toolCallId !== null) return progress.tools[frame.toolCallId] ?? 'a tool';
      return `the ${titleOf(frame.service)}`;
    case 'outcome.sealed':
      return 'the release';
    case 'cancel.requested':
      return 'outstanding work to settle';
    default:
      return progress.waitingFor;
  }
};

const ENDS: readonly RunFrame['type'][] = ['run.released', 'run.fell-back', 'run.failed', 'run.cancelled'];
export const isEnd = (frame: RunFrame): boolean => ENDS.includes(frame.type);

/** Takes in one frame; yields the line that a person should see for it, if any. */
export const advance = (
  before: Progress,
  frame: RunFrame,
): { progress: Progress; line: ProgressLine | undefined } => {
  const at = Date.parse(frame.at);
  const startedAtMs = before.startedAtMs ?? at;
  const known: Progress = {
    ...before,
    startedAtMs,
    tools:
      frame.type === 'tool.accepted' ? { ...before.tools, [frame.toolCallId]: frame.tool } : before.tools,
    requestedAtMs:
      frame.type === 'step.requested' ? { ...before.requestedAtMs, [frame.step]: at } : before.requestedAtMs,
    turns: before.turns + (frame.type === 'step.requested' && frame.service === 'agent' ? 1 : 0),
    ended: before.ended || isEnd(frame),
  };
  const told = lineOf(known, frame, at);
  return {
    progress: { ...known, waitingFor: waitingFor(known, frame) },
    line: told && { atMs: Math.max(0, at - startedAtMs), ...told },
  };
};

const SIGN: Record<Mark, string> = { done: '✓', bad: '✗', warn: '!', info: '·' };
const SUBJECT_WIDTH = 20;

export const drawLine = ({ atMs, mark, subject, text }: ProgressLine, style: Style): string => {
  const paint = { done: style.good, bad: style.bad, warn: style.warn, info: style.dim }[mark];
  return `${style.dim(seconds(atMs).padStart(7))}  ${paint(SIGN[mark])} ${style.bold(padEnd(subject, SUBJECT_WIDTH))} ${text}`;
};

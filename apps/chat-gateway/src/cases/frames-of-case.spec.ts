import { CaseEvent } from '@inquest/contracts/case-decision';
import { CaseFrame } from '@inquest/contracts/case-frame';
import type { FindingId } from '@inquest/contracts/case-parts';
import { caseStepOf } from '@inquest/contracts/case-steps';
import { foldCase } from '@inquest/run-view/fold-case';
import { receivedCase } from '@inquest/run-view/folded-case';
import {
  acceptedEarly,
  cancelledAtTheEnd,
  declinedThenAccepted,
  diagnosedAtEnd,
  failedToForm,
  withheld,
  type PlayedCase,
} from '@inquest/testing/played-case';
import { caseRequest, CITED_CALL, H1, PLAYED_AT } from '@inquest/testing/played-case-events';
import { randomRunId } from '../runs/run-id';
import { endingFrameOfCase, framesOfCase } from './frames-of-case';

const CASE = randomRunId();
const STEP = caseStepOf(1, 'turn', 0, 1);
const HASH = 'a'.repeat(64);
/** Stands wherever an event has room for words. */
const WORDS = 'the pool of orders-db is exhausted';

const PLAYS: ((id: typeof CASE) => PlayedCase)[] = [
  declinedThenAccepted,
  diagnosedAtEnd,
  withheld,
  failedToForm,
  cancelledAtTheEnd,
];

/** Those that no played case holds. */
const REST: CaseEvent[] = [
  { type: 'CaseAttemptFailed', service: 'investigator', step: STEP, failure: 'TIMEOUT' },
  { type: 'CaseStepTimedOut', service: 'investigator', step: STEP },
  { type: 'ActionReleased', toolCallId: CITED_CALL, hypothesisId: H1, why: 'DEADLINE' },
  { type: 'HypothesisExhausted', hypothesisId: H1, why: 'BUDGET' },
  {
    type: 'FinalEvidenceRejected',
    revision: 1,
    step: STEP,
    violations: [1, 2].map((n) => ({
      ruleId: '25 FACT_VALUE',
      analysisId: `a${n}`,
      path: `/${WORDS}`,
      toolCallId: CITED_CALL,
      message: WORDS,
      repairable: true,
      candidates: [WORDS],
    })),
  },
  { type: 'CaseLateResultDiscarded', service: 'tool', step: STEP, hash: HASH },
];

/** Members that hold words of people or models; the rest are enums, ids, hashes and times. */
const PROSE = new Set([
  ...[
    'question',
    'source',
    'principal',
    'statement',
    'confirmedBy',
    'refutedBy',
    'text',
    'assessment',
    'reason',
  ],
  ...['tool', 'argumentsText', 'expectedIfTrue', 'expectedIfFalse', 'repository', 'namespace'],
]);

/** The same event with words in every place that holds some. */
const wordy = (event: CaseEvent): CaseEvent => {
  const filled: unknown = JSON.parse(JSON.stringify(event), (key, value: unknown) =>
    PROSE.has(key) && typeof value === 'string' ? WORDS : value,
  );
  const candidate = CaseEvent.safeParse(filled);
  // A reason that is an enum, and a namespace, hold no words.
  return candidate.success ? candidate.data : event;
};

const EVENTS: CaseEvent[] = [
  ...new Map(
    [...PLAYS.flatMap((made) => made(CASE).entries.flat()), ...REST].map((event) => [event.type, event]),
  ).values(),
].map(wordy);

const frames = (...events: CaseEvent[]): CaseFrame[] =>
  framesOfCase(CASE, { n: 0, prevSeq: 0, took: [], at: PLAYED_AT, events });

describe('The frames of a case', () => {
  it('are tried with every event that there is, most of them full of words', () => {
    const types = CaseEvent.options.map((option) => option.shape.type.value);
    expect(EVENTS.map(({ type }) => type).sort()).toEqual([...types].sort());
    expect(EVENTS.filter((event) => JSON.stringify(event).includes(WORDS)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['CaseOpened', 'HypothesesFormed', 'ActionReserved', 'TurnAssessed']),
    );
  });

  it.each(EVENTS.map((event) => [event.type, event] as const))(
    'of %s fit their contract and hold no words',
    (_, event) => {
      for (const frame of frames(event)) {
        expect(CaseFrame.parse(frame)).toEqual(frame);
        expect(JSON.stringify(frame)).not.toContain('pool');
        expect(frame).toMatchObject({ caseId: CASE, at: PLAYED_AT });
      }
    },
  );

  it('cover every event but the one that concerns the harness alone, and keep their order', () => {
    expect(EVENTS.filter((event) => frames(event).length === 0).map(({ type }) => type)).toEqual([
      'CaseModelCallRecorded',
    ]);
    expect(frames(...EVENTS)).toEqual(EVENTS.flatMap((event) => frames(event)));
  });

  it('name each broken rule once, findings by their ids, and no tool that does not look like one', () => {
    const of = (type: CaseEvent['type']) => frames(EVENTS.find((event) => event.type === type) as CaseEvent);
    expect(of('FinalEvidenceRejected')).toMatchObject([{ rules: ['25 FACT_VALUE'] }]);
    expect(of('TurnAssessed')).toMatchObject([
      { findings: ['f2-0', 'f3-0'] satisfies string[] as FindingId[] },
    ]);
    expect(of('ActionReserved')).toMatchObject([{ tool: 'unrecognised' }]);
  });
});

describe('The frame of a case’s ending', () => {
  const viewOf = ({ request, entries }: PlayedCase) =>
    foldCase(
      request,
      entries.map((events, n) => ({
        seq: n + 1,
        decision: { n, prevSeq: n, took: [], at: PLAYED_AT, events },
      })),
    ).view;

  it.each([
    ['diagnosed', acceptedEarly, { type: 'case.diagnosed', actions: 2 }],
    ['withheld', withheld, { type: 'case.inconclusive', fallback: 'SEMANTIC_UNSUPPORTED' }],
    ['failed', failedToForm, { type: 'case.failed', reason: 'FORMING_FAILED' }],
    ['cancelled', cancelledAtTheEnd, { type: 'case.cancelled', cause: 'PERSON' }],
  ])('is the last frame of its chain, when it was %s', (_, made, expected) => {
    const played = made(CASE);
    const frame = CaseFrame.parse(endingFrameOfCase(viewOf(played)));
    expect(frame).toMatchObject(expected);
    expect(frames(...played.entries.flat()).at(-1)).toEqual(frame);
  });

  it('is not told of a case that goes on', () => {
    expect(endingFrameOfCase(receivedCase(caseRequest(CASE)).view)).toBeUndefined();
  });
});

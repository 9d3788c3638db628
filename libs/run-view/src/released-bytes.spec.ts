import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { RunId } from '@inquest/contracts/ids';
import type { Release } from './fold-run';
import { citedCalls, ReleaseUnverifiable, verifiedReport, verifiedSnapshot } from './released-bytes';

const RUN = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;
const OTHER = '1b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;

const REPORT = canonicalJson({
  conclusion: { status: 'PROBABLE_CAUSE', text: 'The pool is exhausted.', analysisIds: ['a1'] },
  analyses: [
    {
      id: 'a1',
      kind: 'OBSERVATION',
      text: 'It waits.',
      toolCallIds: ['c1'],
      facts: [{ toolCallId: 'c2', path: '/matched', value: 1, policy: 'exact' }],
      quotes: [{ toolCallId: 'c3', quote: 'pool timeout' }],
      entities: [{ type: 'service', name: 'checkout', toolCallId: 'c4' }],
      derived: [
        { op: 'diff', operands: [{ toolCallId: 'c5', path: '/matched' }], value: 1, policy: 'exact' },
      ],
    },
  ],
  actionPlan: [],
  recommendations: [],
  limitations: [{ id: 'l1', text: 'One call failed.', toolCallIds: ['c6'] }],
});
const ANSWER = canonicalJson({ items: [{ id: 'k1', text: 'So.', toolCallId: 'c1', documentIds: ['d'] }] });

const snapshot = (change: object = {}): string =>
  canonicalJson({
    schema: 'inquest.snapshot.v1',
    runId: RUN,
    intent: 'DIAGNOSIS',
    revision: 1,
    question: 'Why?',
    report: REPORT,
    reportHash: sha256(REPORT),
    items: [],
    evidence: [],
    ruleSet: 'evidence-2',
    ...change,
  });
const release = (text: string, change: Partial<Release> = {}): Release => ({
  type: 'RunReleased',
  form: 'REPORT',
  intent: 'DIAGNOSIS',
  snapshotHash: sha256(text),
  reportHash: sha256(REPORT),
  evidenceStep: null,
  coverage: [],
  modelCalls: 1,
  toolCalls: 1,
  tokens: 1,
  ...change,
});

describe('Released bytes', () => {
  it('are shown when both hashes are those of the release', () => {
    const opened = verifiedSnapshot(RUN, snapshot(), release(snapshot()));
    const part = verifiedReport(opened.report, { runId: RUN, form: 'REPORT', reportHash: sha256(REPORT) });
    expect(canonicalJson(part.report)).toBe(REPORT);
    const answer = verifiedReport(ANSWER, { runId: RUN, form: 'ANSWER', reportHash: sha256(ANSWER) });
    expect(canonicalJson(answer.answer)).toBe(ANSWER);
  });

  it.each([
    ['one character is another', snapshot().replace('waits', 'halts'), release(snapshot())],
    ['the release names no snapshot', snapshot(), release(snapshot(), { snapshotHash: null })],
    ['the snapshot is of another run', snapshot({ runId: OTHER }), release(snapshot({ runId: OTHER }))],
    ['the snapshot holds another report', snapshot(), release(snapshot(), { reportHash: sha256('x') })],
  ])('are shown to nobody when %s', (_, text, named) => {
    expect(() => verifiedSnapshot(RUN, text, named)).toThrow(ReleaseUnverifiable);
  });

  it('are shown to nobody when their own hash is another', () => {
    const promised = { runId: RUN, form: 'REPORT', reportHash: sha256(REPORT) } as const;
    expect(() => verifiedReport(REPORT.replace('waits', 'halts'), promised)).toThrow(ReleaseUnverifiable);
  });

  it('cite every call that they refer to, wherever that is', () => {
    const part = verifiedReport(REPORT, { runId: RUN, form: 'REPORT', reportHash: sha256(REPORT) });
    expect([...citedCalls(part)].sort()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
    const answer = verifiedReport(ANSWER, { runId: RUN, form: 'ANSWER', reportHash: sha256(ANSWER) });
    expect([...citedCalls(answer)]).toEqual(['c1']);
  });
});

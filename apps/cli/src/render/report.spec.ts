import { RunView } from '@inquest/contracts/run-view';
import { citedSources, drawRun, numberSources } from './report';
import { COLOURED, PLAIN } from './style';
import { widthOf } from './text';

describe('the page of a finished run', () => {
  it('draws a report with numbered citations that its list of sources explains', () => {
    expect(draw({ report: REPORT })).toEqual([
      '',
      'Root cause identified',
      'Checkout exhausts its connection pool. (a1)',
      '',
      'Cause',
      '   a1  All 20 connections are held by one leaked transaction. [1][2]',
      '         “timeout exceeded when trying to connect” [2]',
      '',
      'What was looked for and not found',
      '   a2  No restart of checkout in the window. [3]',
      '',
      'What to do now',
      '   p1  Restart checkout to free the pool. (a1)',
      '',
      'What to change',
      '   r1  Release the client in a finally block. (a1)',
      '',
      'What this does not cover',
      '   l1  Traces were not available. [4]',
      '',
      'Sources',
      '   [1]  query_metric      READY  EVIDENCE_FOUND  call_b',
      '   [2]  search_logs       READY  EVIDENCE_FOUND  call_a  truncated',
      '   [3]  describe_object   READY  NO_EVIDENCE     call_c',
      '   [4]  knowledge_lookup  ERROR  ERROR           call_d',
      '',
      'Read and not cited',
      '   [5]  list_objects  READY  EVIDENCE_FOUND  call_e',
      '',
      'written by rules-diagnosis (rules, no language model) · 5 model calls, 5 tool calls · 1.6 s',
      `both guards passed these bytes: snapshot sha256 ${'5'.repeat(64)}`,
      `run ${RUN_ID}`,
      `open a source: npm run -s inquest -- evidence ${RUN_ID} call_b`,
      `every value and quote: npm run -s inquest -- runs show ${RUN_ID} --full`,
    ]);
  });

  it('shows every value and quote of a statement when it is asked to', () => {
    const page = drawRun(view({ report: REPORT }), { style: PLAIN, columns: 100, full: true });
    expect(page.slice(5, 8)).toEqual([
      '   a1  All 20 connections are held by one leaked transaction. [1][2]',
      '         /series/0/max = 20 connections [1]',
      '         “timeout exceeded when trying to connect” [2]',
    ]);
  });

  it('stays within the width of the terminal, whatever the report says', () => {
    const long = structuredClone(REPORT);
    long.conclusion.text = 'word '.repeat(200) + 'x'.repeat(300);
    const lines = drawRun(view({ report: long }), { style: COLOURED, columns: 60, full: true });
    const prose = lines.slice(
      0,
      lines.findIndex((line) => line.includes('Sources')),
    );
    expect(Math.max(...prose.map(widthOf))).toBeLessThanOrEqual(60);
  });

  it('never lets a report steer the terminal', () => {
    const hostile = structuredClone(REPORT);
    hostile.conclusion.text = 'fine\u001b]0;owned\u0007\u001b[2J';
    expect(draw({ report: hostile }).join('\n')).not.toContain('\u001b');
  });

  it('draws a fallback from its constants and what was verified', () => {
    const page = draw({
      outcome: 'FALLBACK',
      fallback: {
        schema: 'inquest.fallback.v1',
        type: 'SEMANTIC_UNSUPPORTED',
        runId: RUN_ID,
        locale: 'en',
        title: 'No verified diagnosis',
        text: 'Withheld.',
        verifiedSources: [
          { toolCallId: 'call_a', tool: 'search_logs', service: 'checkout', namespace: 'shop', window: null },
        ],
      },
    });
    expect(page.slice(0, 6)).toEqual([
      '',
      'No verified diagnosis',
      'Withheld.',
      '',
      'Verified sources',
      '    search_logs  call_a  checkout in shop',
    ]);
  });

  it('draws a failure with its reason, a cancellation with the layers that took effect, a reply as it is', () => {
    expect(
      draw({ outcome: 'FAILED', failure: { reason: 'MODEL_UNAVAILABLE', text: 'Ask again.' } }).slice(1, 3),
    ).toEqual(['Failed: MODEL_UNAVAILABLE', 'Ask again.']);
    const cancellation = {
      cause: 'PERSON',
      requestedAt: '2026-05-04T09:00:00Z',
      interrupted: [{ step: 't1-model0-a1', how: 'ABORTED' }],
      discarded: [],
    };
    expect(draw({ outcome: 'CANCELLED', cancellation }).slice(1, 4)).toEqual([
      'Cancelled',
      'cause PERSON, 1 step interrupted, 0 late results discarded',
      '    t1-model0-a1  ABORTED',
    ]);
    expect(draw({ reply: { schema: 'inquest.reply.v1', text: 'Neither.' } })[1]).toBe('Neither.');
  });

  it('draws an answer with the documents that it stands on, and an empty one as not found', () => {
    const items = [
      { id: 'k1', text: 'Look at pg_stat_activity.', toolCallId: 'call_a', documentIds: ['rb-pool#remedy'] },
    ];
    expect(draw({ answer: { items } }).slice(1, 3)).toEqual([
      'Answer',
      '   k1  Look at pg_stat_activity. (rb-pool#remedy) [1]',
    ]);
    expect(draw({ answer: { items: [], notFound: 'Nothing there.' } })[1]).toBe('Nothing there.');
  });

  it('numbers sources in the order in which the report cites them, uncited ones last', () => {
    const parsed = view({ report: REPORT });
    const cited = citedSources(parsed.report);
    expect(cited).toEqual(['call_b', 'call_a', 'call_c', 'call_d']);
    expect(numberSources(cited, parsed.coverage)).toEqual([...cited, 'call_e']);
    expect(numberSources([], parsed.coverage)).toEqual(['call_a', 'call_b', 'call_c', 'call_d', 'call_e']);
  });
});

const RUN_ID = '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b';

const REPORT = {
  conclusion: {
    status: 'ROOT_CAUSE_IDENTIFIED',
    text: 'Checkout exhausts its connection pool.',
    analysisIds: ['a1'],
  },
  analyses: [
    {
      id: 'a1',
      kind: 'CAUSE',
      text: 'All 20 connections are held by one leaked transaction.',
      toolCallIds: ['call_b', 'call_a'],
      facts: [
        { toolCallId: 'call_b', path: '/series/0/max', value: 20, unit: 'connections', policy: 'exact' },
      ],
      quotes: [{ toolCallId: 'call_a', quote: 'timeout exceeded when trying to connect' }],
    },
    {
      id: 'a2',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No restart of checkout in the window.',
      toolCallIds: ['call_c'],
    },
  ],
  actionPlan: [{ id: 'p1', text: 'Restart checkout to free the pool.', analysisIds: ['a1'] }],
  recommendations: [{ id: 'r1', text: 'Release the client in a finally block.', analysisIds: ['a1'] }],
  limitations: [{ id: 'l1', text: 'Traces were not available.', toolCallIds: ['call_d'] }],
};

const view = (more: object): RunView =>
  RunView.parse({
    runId: RUN_ID,
    tenant: 'local',
    sessionId: null,
    question: 'Why?',
    source: 'checkout',
    status: 'RELEASED',
    intent: 'DIAGNOSIS',
    outcome: 'SUCCESS',
    reportHash: '4'.repeat(64),
    snapshotHash: '5'.repeat(64),
    previousRunId: null,
    coverage: [
      {
        toolCallId: 'call_a',
        tool: 'search_logs',
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: true,
      },
      {
        toolCallId: 'call_b',
        tool: 'query_metric',
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: false,
      },
      {
        toolCallId: 'call_c',
        tool: 'describe_object',
        status: 'READY',
        evidenceStatus: 'NO_EVIDENCE',
        truncated: false,
      },
      {
        toolCallId: 'call_d',
        tool: 'knowledge_lookup',
        status: 'ERROR',
        evidenceStatus: 'ERROR',
        truncated: false,
      },
      {
        toolCallId: 'call_e',
        tool: 'list_objects',
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: false,
      },
    ],
    cancellation: null,
    timings: { requestedAt: '2026-05-04T09:00:00Z', startedAt: null, endedAt: null, totalMs: 1_600 },
    modelCalls: 5,
    toolCalls: 5,
    tokens: 0,
    author: 'rules-diagnosis',
    ...more,
  });

const draw = (more: object): string[] => drawRun(view(more), { style: PLAIN, columns: 100, full: false });

import { DiagnosisDraft } from '@inquest/contracts/draft';
import { answer, answersFrom, conversation, minute, pod, type Source } from '../../test/investigation';
import type { Call, Reply } from '../conversation/reply';
import { nextStep } from './next-step';

const OFFERED = [
  'active_alerts',
  'service_dependencies',
  'list_objects',
  'describe_object',
  'search_logs',
  'list_metrics',
  'query_metric',
  'knowledge_lookup',
];

const overview = (source: Source, areLinesCut = true) => {
  const ids = [
    'active_alerts',
    'active_alerts',
    'service_dependencies',
    'list_objects',
    'list_objects',
    'list_metrics',
    'search_logs',
    'search_logs',
  ];
  const args = [
    {},
    { include_resolved: true },
    {},
    { limit: 250 },
    { kind: 'Event', limit: 150 },
    {},
    { level: 'ERROR', limit: 60 },
    { level: 'WARN', limit: 60, order: 'newest' },
  ];
  const given = answersFrom(source);
  return ids.map((tool, index) => {
    const found = given.find(
      (one) =>
        one.tool === tool &&
        JSON.stringify(one.args.kind) === JSON.stringify((args[index] as { kind?: string }).kind),
    );
    return answer(
      `call_${index}`,
      tool,
      args[index] ?? {},
      found ? (found.document as object) : { rows: [] },
      found ? { limitHit: tool === 'search_logs' && areLinesCut } : { evidenceStatus: 'NO_EVIDENCE' },
    );
  });
};
const callsOf = (reply: Reply): Call[] => (reply.kind === 'CALLS' ? reply.calls : []);
const draftOf = (reply: Reply): DiagnosisDraft =>
  DiagnosisDraft.parse(JSON.parse(reply.kind === 'TEXT' ? reply.text : '{}'));

const SOURCE: Source = {
  alerts: [{ name: 'OrdersFail', severity: 'critical', service: 'orders', startsAt: minute(4), summary: '', labels: {} }],
  dependencies: [['web', 'orders'], ['orders', 'postgres']],
  objects: [pod('orders-7c9f6d5b8-x2x4q', { phase: 'Running', reasons: ['CrashLoopBackOff'], restarts: 3 }), pod('web-7c9f6d5b8-aaaaa')],
  metrics: [
    { name: 'http_error_ratio', labels: { service: 'orders' }, unit: 'ratio', min: 0, max: 1, last: 1 },
    { name: 'process_uptime_seconds', labels: { service: 'orders' }, unit: 's', min: 0, max: 900, last: 900 },
    { name: 'db_pool_in_use', labels: { service: 'orders' }, unit: 'connections', min: 0, max: 10, last: 10 },
    { name: 'db_pool_size', labels: { service: 'orders' }, unit: 'connections', min: 10, max: 10, last: 10 },
  ],
  logs: [{ service: 'orders', message: 'boom' }],
}; // prettier-ignore

describe('the course of an investigation', () => {
  it('opens with a look at everything, in parallel', () => {
    const calls = callsOf(nextStep(conversation([]), OFFERED));
    expect(new Set(calls.map(({ tool }) => tool))).toEqual(
      new Set(['active_alerts', 'service_dependencies', 'list_objects', 'list_metrics', 'search_logs']),
    );
  });

  it('calls only what is offered, and no more than it may', () => {
    const base = conversation([]);
    expect(callsOf(nextStep(base, ['search_logs'])).every(({ tool }) => tool === 'search_logs')).toBe(true);
    const limits = { toolCallsLeft: 3, callsPerResponseMax: 16 };
    expect(callsOf(nextStep({ ...base, question: { ...base.question, limits } }, OFFERED))).toHaveLength(3);
  });

  it('searches no service for lines of which a search over all has shown every one', () => {
    const calls = callsOf(nextStep(conversation(overview(SOURCE, false)), OFFERED));
    expect(calls.filter(({ tool }) => tool === 'search_logs')).toEqual([]);
    expect(calls.length).toBeGreaterThan(0);
  });

  it('narrows to the suspects: their lines, their objects, the metrics that moved', () => {
    const calls = callsOf(nextStep(conversation(overview(SOURCE)), OFFERED));
    expect(calls).toContainEqual({
      tool: 'search_logs',
      args: { service: 'orders', level: 'WARN', limit: 30 },
    });
    expect(calls).toContainEqual({
      tool: 'describe_object',
      args: { kind: 'Pod', name: 'orders-7c9f6d5b8-x2x4q', namespace: 'shop' },
    });
    const metrics = calls.filter(({ tool }) => tool === 'query_metric').map(({ args }) => args.name);
    expect(metrics).toEqual(['http_error_ratio', 'db_pool_in_use', 'db_pool_size']);
  });

  it('never repeats a call', () => {
    const first = overview(SOURCE);
    const second = callsOf(nextStep(conversation(first), OFFERED)).map(({ tool, args }, index) =>
      answer(`more_${index}`, tool, args, { rows: [] }, { evidenceStatus: 'NO_EVIDENCE' }),
    );
    const third = callsOf(nextStep(conversation([...first, ...second]), OFFERED));
    const keys = [...first, ...second, ...third].map(({ tool, args }) => JSON.stringify([tool, args]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each<[string, Partial<ReturnType<typeof conversation>>]>([
    ['is told to conclude', { concluding: true }],
    ['has had its turns', { assistantTurns: 6 }],
    ['has its calls rejected again and again', { assistantTurns: 1, rejectedTurns: 5 }],
  ])('writes the draft when it %s', (_, over) => {
    expect(draftOf(nextStep(conversation(overview(SOURCE), over), OFFERED)).analyses.length).toBeGreaterThan(
      0,
    );
  });

  it('names every failed, cut and pointless call as a limitation', () => {
    const answers = [
      answer('call_a', 'active_alerts', {}, null, { status: 'ERROR', evidenceStatus: 'ERROR' }),
      answer('call_b', 'search_logs', { level: 'ERROR' }, { rows: [] }, { limitHit: true }),
      answer('call_c', 'list_objects', {}, { rows: [] }, { truncated: true }),
      answer('call_d', 'query_metric', { name: 'x' }, null, {
        evidenceStatus: 'NO_EVIDENCE',
        selectorKnown: false,
      }),
      answer(
        'call_e',
        'active_alerts',
        { include_resolved: true },
        { rows: [] },
        { evidenceStatus: 'NO_EVIDENCE' },
      ),
    ];
    const draft = draftOf(nextStep(conversation(answers, { concluding: true }), OFFERED));
    expect(draft.limitations.map(({ toolCallIds }) => toolCallIds)).toEqual([
      ['call_a'],
      ['call_b'],
      ['call_c'],
      ['call_d'],
    ]);
    expect(draft.analyses).toMatchObject([{ kind: 'NEGATIVE_OBSERVATION', toolCallIds: ['call_e'] }]);
  });
});

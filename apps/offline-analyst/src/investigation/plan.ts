import { canonicalJson } from '@inquest/contracts/canonical-json';
import type { Call } from '../conversation/reply';
import type { LogPattern, View } from '../evidence/view';
import type { Hypothesis } from '../rules/finding';
import { callersOf, dependenciesOf, serviceOf } from '../rules/topology';
import { metricCalls } from './metric-choice';
import { looksUnhealthy, neighbourhoodOf } from './suspects';

const SUSPECTS_MAX = 3;
const DESCRIBED_MAX = 8;
/** Calls of the second wave; the rest of a run's budget is for what it brings up. */
const LOOK_CALLS_MAX = 22;
const LOOKS = new Set(['query_metric', 'describe_object']);
const SAMPLES_MAX = 3;
const EXONERATED_MAX = 3;
const LINES = { overview: 60, service: 30, sample: 3 } as const;
const SERVICES_SEARCHED_MAX = 5;

const ROWS = { objects: 250, events: 150 } as const;

/** What anybody on call looks at first. */
export const OVERVIEW: readonly Call[] = [
  { tool: 'active_alerts', args: {} },
  { tool: 'active_alerts', args: { include_resolved: true } },
  { tool: 'service_dependencies', args: {} },
  { tool: 'list_objects', args: { limit: ROWS.objects } },
  { tool: 'list_objects', args: { kind: 'Event', limit: ROWS.events } },
  { tool: 'list_metrics', args: {} },
  { tool: 'search_logs', args: { level: 'ERROR', limit: LINES.overview } },
  { tool: 'search_logs', args: { level: 'WARN', limit: LINES.overview, order: 'newest' } },
];

const ALWAYS_TELLING = new Set([
  'ResourceQuota',
  'LimitRange',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'Node',
]);
const OF_A_SERVICE = new Set([
  'Pod',
  'Process',
  'Service',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Ingress',
]);

export const describeCalls = (view: View): Call[] => {
  const { suspects, dependencies } = neighbourhoodOf(view, SUSPECTS_MAX);
  const near = [...suspects, ...dependencies];
  const warned = new Set(
    view.events
      .filter(({ type, reason }) => type === 'Warning' || /NotReady/.test(reason))
      .map(({ object }) => object.name),
  );
  const claimWaits = view.objects.some(
    (object) => object.kind === 'PersistentVolumeClaim' && looksUnhealthy(object),
  );
  // A service that leads nowhere is told from its pods.
  const unreached = new Set(
    view.objects.filter((object) => object.kind === 'Service' && looksUnhealthy(object)).map(serviceOf),
  );
  const urgency = (object: View['objects'][number]) => {
    if (object.kind === 'PersistentVolume' && claimWaits) return object.status.phase === 'Bound' ? 2 : 0;
    if (object.kind === 'ResourceQuota') return 0.5;
    if (object.kind === 'Pod' && unreached.has(serviceOf(object))) return 1;
    const isWarned = warned.has(object.name);
    if (ALWAYS_TELLING.has(object.kind) && (looksUnhealthy(object) || isWarned)) return 0;
    if (looksUnhealthy(object) || (isWarned && Number(object.status.restarts) > 0)) return 1;
    const place = near.indexOf(serviceOf(object));
    if (OF_A_SERVICE.has(object.kind) && place >= 0 && object.status.phase !== 'Stopped') return 2 + place;
    if (isWarned) return object.kind === 'Pod' ? 10 : 12;
    return ALWAYS_TELLING.has(object.kind) ? (object.kind === 'Node' ? 30 : 20) : 99;
  };
  const dependants = (object: View['objects'][number]) => callersOf(view, serviceOf(object)).size;
  // One of several like pods tells what the others would.
  const seen = new Set<string>();
  return (
    view.objects
      .map((object) => ({ object, urgency: urgency(object) }))
      .filter(({ urgency: value }) => value < 99)
      // Of equals what others depend on: its trouble is theirs as well.
      .sort((a, b) => a.urgency - b.urgency || dependants(b.object) - dependants(a.object))
      .filter(({ object }) => {
        const key = `${object.kind}/${serviceOf(object)}`;
        return !seen.has(key) && seen.add(key);
      })
      .slice(0, DESCRIBED_MAX)
      .map(({ object: { kind, name, namespace } }) => ({
        tool: 'describe_object',
        args: { kind, name, ...(namespace === null ? {} : { namespace }) },
      }))
  );
};

/** Whether a search over all services has shown every line that there is from a level on. */
const showsAll = (view: View): boolean => {
  const overall = view.calls.filter(({ tool, args }) => tool === 'search_logs' && args.service === undefined);
  const answered = overall.filter(({ meta }) => meta.status === 'READY' && meta.evidenceStatus !== 'ERROR');
  return (
    answered.length > 0 &&
    answered.every(({ meta }) => ![meta.truncated, meta.limitHit].includes(true)) &&
    // Where lines of one level cannot be had, they cannot be had of one service either.
    overall.some(({ args }) => args.level === 'WARN')
  );
};

export const serviceLogCalls = (view: View): Call[] => (showsAll(view) ? [] : serviceLogCallsOf(view));

const serviceLogCallsOf = (view: View): Call[] =>
  neighbourhoodOf(view, SERVICES_SEARCHED_MAX).suspects.map((service) => ({
    tool: 'search_logs',
    args: { service, level: 'WARN', limit: LINES.service },
  }));

/** Kinds whose objects tell most, each by itself where one list of everything was cut. */
const KINDS_TO_LIST = [
  'Pod',
  'Service',
  'Deployment',
  'Node',
  'ResourceQuota',
  'PersistentVolumeClaim',
  'PersistentVolume',
] as const;

export const listCalls = (view: View): Call[] =>
  view.calls.some(
    ({ tool, args, meta }) =>
      tool === 'list_objects' && args.kind === undefined && [meta.limitHit, meta.truncated].includes(true),
  )
    ? KINDS_TO_LIST.map((kind) => ({ tool: 'list_objects', args: { kind, limit: ROWS.objects } }))
    : [];

/** The longest piece of a pattern that has no placeholder: finds its lines again. */
const literalOf = ({ pattern }: LogPattern): string =>
  pattern
    .split('#')
    .map((piece) => piece.trim())
    .sort((a, b) => b.length - a.length)[0]
    ?.slice(0, 100) ?? '';

/** Whole lines of the patterns that a hypothesis rests on, for quoting. */
export const sampleCalls = (view: View, hypotheses: readonly Hypothesis[]): Call[] => {
  const keys = new Set(hypotheses.slice(0, 2).flatMap(({ findings }) => findings.map(({ key }) => key)));
  return view.patterns
    .filter(
      (pattern) =>
        pattern.sample === null && keys.has(`log:${pattern.service}:${pattern.level}:${pattern.pattern}`),
    )
    .filter((pattern) => literalOf(pattern).length >= 8)
    .slice(0, SAMPLES_MAX)
    .map((pattern) => ({
      tool: 'search_logs',
      args: {
        service: pattern.service,
        level: pattern.level,
        contains: literalOf(pattern),
        limit: LINES.sample,
      },
    }));
};

/** Whether the dependencies of the place of the fault complain themselves. */
export const exoneratingCalls = (view: View, hypotheses: readonly Hypothesis[]): Call[] => {
  const service = hypotheses[0]?.service;
  if (!service) return [];
  return dependenciesOf(view, service)
    .filter(
      (name) =>
        !view.patterns.some(
          (pattern) => pattern.service === name && ['ERROR', 'FATAL'].includes(pattern.level),
        ),
    )
    .slice(0, EXONERATED_MAX)
    .map((name) => ({ tool: 'search_logs', args: { service: name, level: 'ERROR', limit: LINES.sample } }));
};

export const knowledgeCalls = (hypotheses: readonly Hypothesis[]): Call[] => {
  const [best] = hypotheses;
  return best ? [{ tool: 'knowledge_lookup', args: { query: best.lookup, limit: 2 } }] : [];
};

export const keyOf = ({ tool, args }: { tool: string; args: unknown }) => `${tool} ${canonicalJson(args)}`;

/**
 * The next calls of an investigation; none when it has seen what it wanted. Every wave is a function of what the earlier
 * ones brought to light, so that the rules need no memory.
 */
export const plannedCalls = (
  view: View,
  hypotheses: readonly Hypothesis[],
  offered: readonly string[],
): Call[] => {
  const made = new Set(view.calls.map(keyOf));
  const fresh = (calls: readonly Call[]) => {
    const known = new Set(made);
    return calls.filter((call) => {
      const key = keyOf(call);
      return offered.includes(call.tool) && !known.has(key) && known.add(key);
    });
  };
  const overview = fresh(OVERVIEW);
  if (overview.length > 0) return overview;
  const lists = fresh(listCalls(view));
  if (lists.length > 0) return lists;
  const looked = view.calls.filter(
    ({ tool, args }) => LOOKS.has(tool) || (tool === 'search_logs' && args.service !== undefined),
  );
  const look = fresh([...serviceLogCalls(view), ...describeCalls(view), ...metricCalls(view)]);
  const room = LOOK_CALLS_MAX - looked.length;
  if (look.length > 0 && room > 0) return look.slice(0, room);
  return fresh([
    ...sampleCalls(view, hypotheses),
    ...exoneratingCalls(view, hypotheses),
    ...knowledgeCalls(hypotheses),
  ]);
};

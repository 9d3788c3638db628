import { symptomFindings } from '../diagnosis/symptoms';
import type { Answered, SystemObject, View } from '../evidence/view';
import { looksUnhealthy } from '../investigation/suspects';
import type { Hypothesis } from '../rules/finding';
import { seriesFinding } from '../rules/findings';
import { changesOf, dependenciesOf } from '../rules/topology';
import { listed } from '../rules/wording';
import type { Family } from './families';

/** A statement that speaks against one family of causes, and where it was read. */
export type Exoneration = { family: Family; text: string; toolCallIds: string[] };

const NAMES_MAX = 6;
const named = (names: readonly string[]): string =>
  names.length > NAMES_MAX ? `${names.slice(0, NAMES_MAX).join(', ')} and others` : listed(names);

const isWhole = ({ meta }: Answered): boolean =>
  meta.status === 'READY' &&
  meta.evidenceStatus !== 'ERROR' &&
  ![meta.truncated, meta.limitHit, meta.sampled, meta.partial].includes(true) &&
  meta.selectorKnown !== false;

/** The listing of everything, where it was complete: only then is what it does not show not there. */
const wholeListing = (view: View): Answered | undefined =>
  view.calls.find(
    (call) =>
      call.tool === 'list_objects' &&
      isWhole(call) &&
      call.args.kind === undefined &&
      call.args.name_contains === undefined,
  );

const citing = (objects: readonly SystemObject[]): string[] =>
  [...new Set(objects.map(({ place }) => place.toolCallId))].slice(0, 5);

const INSTANCES = new Set(['Pod', 'Process']);
const isGone = ({ status }: SystemObject): boolean => status.phase === 'Stopped';

const placement = (view: View): Exoneration[] => {
  const instances = view.objects.filter((object) => INSTANCES.has(object.kind) && !isGone(object));
  if (wholeListing(view) === undefined || instances.length === 0 || instances.some(looksUnhealthy)) return [];
  return [
    {
      family: 'PLACEMENT',
      text: `Every instance that is listed runs, among them ${named(instances.map(({ name }) => name))}.`,
      toolCallIds: citing(instances),
    },
  ];
};

const node = (view: View): Exoneration[] => {
  const nodes = view.objects.filter(({ kind }) => kind === 'Node' || kind === 'Host');
  if (nodes.length === 0 || nodes.some((object) => looksUnhealthy(object) || object.status.ready === false))
    return [];
  return [
    {
      family: 'NODE',
      text: `No node that is listed is out of order: ${named(nodes.map(({ name }) => name))}.`,
      toolCallIds: citing(nodes),
    },
  ];
};

const LEVEL = /cpu|memory|pool|disk|connections|queue|lag|backlog/i;
const LEVELS_MIN = 2;

/** Levels that were read and name no limit; where there are no metrics, containers that were not ended for memory. */
const resource = (view: View): Exoneration[] => {
  const levels = view.series.filter(({ name, service }) => LEVEL.test(name) && service !== null).slice(0, 3);
  if (levels.length >= LEVELS_MIN)
    return [
      {
        family: 'RESOURCE',
        text: levels.map((series) => seriesFinding(view, series, 0).text).join(' '),
        toolCallIds: [...new Set(levels.map(({ place }) => place.toolCallId))],
      },
    ];
  const listing = wholeListing(view);
  const pods = view.objects.filter(({ kind, status }) => kind === 'Pod' && status.ready !== undefined);
  const killed = pods.some(({ status }) => /OOM/.test(JSON.stringify(status)));
  if (listing === undefined || pods.length === 0 || killed) return [];
  return [
    {
      family: 'RESOURCE',
      text: 'No pod that is listed reports a container that was ended for want of memory.',
      toolCallIds: [listing.toolCallId],
    },
  ];
};

/** No deliberate change of the service in the whole list of events. Says nothing about settings that never changed. */
const setting = (view: View, best: Hypothesis | null): Exoneration[] => {
  const events = view.calls.find(
    (call) => call.tool === 'list_objects' && /^events?$/i.test(String(call.args.kind)) && isWhole(call),
  );
  if (events === undefined || changesOf(view, best?.service ?? null).length > 0) return [];
  const of = best?.service ? ` of ${best.service}` : '';
  return [
    {
      family: 'SETTING',
      text: `The events that are listed name no change${of}.`,
      toolCallIds: [events.toolCallId],
    },
  ];
};

const isErrorSearch = ({ tool, args }: Answered): boolean =>
  tool === 'search_logs' && args.contains === undefined && ['ERROR', 'WARN'].includes(String(args.level));

/** The dependencies of the place of the fault are quiet, or it has none. */
const dependency = (view: View, best: Hypothesis | null): Exoneration[] => {
  const edges = view.calls.find((call) => call.tool === 'service_dependencies' && isWhole(call));
  if (best === null) {
    const quiet = view.calls.find(
      (call) => isErrorSearch(call) && call.args.service === undefined && isEmpty(call),
    );
    return quiet
      ? [
          {
            family: 'DEPENDENCY',
            text: `The logs hold no line of level ${String(quiet.args.level)} or above.`,
            toolCallIds: [quiet.toolCallId],
          },
        ]
      : [];
  }
  if (best.service === null || edges === undefined || view.dependencies.length === 0) return [];
  const below = dependenciesOf(view, best.service);
  if (below.length === 0)
    return [
      {
        family: 'DEPENDENCY',
        text: `The list of dependencies shows none of ${best.service} that could have failed.`,
        toolCallIds: [edges.toolCallId],
      },
    ];
  return quietBelow(view, below);
};

const isEmpty = (call: Answered): boolean => call.meta.evidenceStatus === 'NO_EVIDENCE' && isWhole(call);

const quietBelow = (view: View, below: readonly string[]): Exoneration[] => {
  const loud = (service: string) =>
    view.patterns.some(
      (pattern) => pattern.service === service && ['ERROR', 'FATAL'].includes(pattern.level),
    );
  const asked = below.flatMap((service) => {
    const call = view.calls.find(
      (candidate) => isErrorSearch(candidate) && candidate.args.service === service && isEmpty(candidate),
    );
    return call ? [{ service, toolCallId: call.toolCallId }] : [];
  });
  if (asked.length < Math.min(below.length, 2) || below.some(loud)) return [];
  return [
    {
      family: 'DEPENDENCY',
      text: `The logs of ${named(asked.map(({ service }) => service))} hold no line of level ERROR.`,
      toolCallIds: asked.map(({ toolCallId }) => toolCallId).slice(0, 5),
    },
  ];
};

const quiet = (view: View): Exoneration[] => {
  const [symptom] = symptomFindings(view);
  return symptom ? [{ family: 'QUIET', text: symptom.text, toolCallIds: symptom.toolCallIds }] : [];
};

/**
 * What the evidence says against each family. A family for which some rule finds anything is never cleared here; absence
 * counts only where the answer was complete.
 */
export const exonerationsOf = (
  view: View,
  best: Hypothesis | null,
  suspected: ReadonlySet<Family>,
): Exoneration[] =>
  [
    ...placement(view),
    ...node(view),
    ...resource(view),
    ...setting(view, best),
    ...dependency(view, best),
    ...quiet(view),
  ].filter(({ family, toolCallIds }) => !suspected.has(family) && toolCallIds.length > 0);

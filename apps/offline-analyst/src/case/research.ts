import type { Call } from '../conversation/reply';
import type { View } from '../evidence/view';
import { metricCalls } from '../investigation/metric-choice';
import {
  describeCalls,
  exoneratingCalls,
  keyOf,
  knowledgeCalls,
  OVERVIEW,
  sampleCalls,
  serviceLogCalls,
} from '../investigation/plan';
import type { Hypothesis } from '../rules/finding';
import { serviceOf } from '../rules/topology';
import type { CaseDocument } from './case-request';
import { FAMILIES, familiesOfStatement, type Family } from './families';
import { leaderAmong, type Standing, type Stated } from './standing';

export type Action = {
  tool: string;
  arguments: Call['args'];
  expectedIfTrue: string;
  expectedIfFalse: string;
};

/** Who asks which part of the overview, so that nobody asks twice while the first answers are under way. */
const OWNERS: Record<string, Family> = {
  list_metrics: 'RESOURCE',
  list_objects: 'PLACEMENT',
  service_dependencies: 'DEPENDENCY',
};

const ownerOf = ({ tool, args }: Call): Family => {
  if (tool === 'active_alerts') return args.include_resolved === true ? 'QUIET' : 'RESOURCE';
  if (tool === 'search_logs') return args.level === 'ERROR' ? 'DEPENDENCY' : 'QUIET';
  return args.kind === undefined ? (OWNERS[tool] ?? 'SETTING') : 'SETTING';
};

/** The call in words, by which it is known again while its answer is under way. */
const subjectOf = ({ tool, args }: Call): string => {
  const words = Object.entries(args).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return [tool, ...words].join(' ').slice(0, 160);
};

const isNode = ({ args }: Call): boolean => args.kind === 'Node' || args.kind === 'Host';
const GOLDEN_MAX = 4;

const LOOKS: Record<Family, (view: View) => Call[]> = {
  RESOURCE: (view) => [...metricCalls(view), ...serviceLogCalls(view)],
  PLACEMENT: (view) => [...describeCalls(view), ...serviceLogCalls(view)],
  ROUTING: (view) => [...describeCalls(view).filter((call) => !isNode(call)), ...serviceLogCalls(view)],
  SETTING: (view) => [...serviceLogCalls(view), ...describeCalls(view).filter((call) => !isNode(call))],
  NODE: (view) => describeCalls(view).filter(isNode),
  DEPENDENCY: (view) => serviceLogCalls(view),
  QUIET: (view) => metricCalls(view).slice(0, GOLDEN_MAX),
};

/** Whether a call looks at the very place of a find. */
const concerns = (view: View, { service, object }: Hypothesis, { args }: Call): boolean => {
  if (service !== null && args.service === service) return true;
  if (args.name === undefined || args.kind === undefined) return false;
  const asked = view.objects.find(({ kind, name }) => kind === args.kind && name === args.name);
  return (
    `${String(args.kind)}/${String(args.name)}` === object ||
    (asked !== undefined && serviceOf(asked) === service)
  );
};

/** Everything at the place of the strongest find, and whether what it depends on is quiet: a cause is not named before. */
const essentials = ({ view, best }: Standing): Call[] => {
  if (best === null) return [];
  const { hypothesis } = best;
  const looks = [...serviceLogCalls(view), ...metricCalls(view), ...describeCalls(view)];
  return [
    ...looks.filter((call) => concerns(view, hypothesis, call)),
    ...exoneratingCalls(view, [hypothesis]),
  ];
};

/** What is useful beyond that for a report: whole lines, the neighbourhood, a runbook. */
const further = ({ view, best }: Standing): Call[] => {
  const hypotheses = best === null ? [] : [best.hypothesis];
  return [
    ...sampleCalls(view, hypotheses),
    ...metricCalls(view),
    ...describeCalls(view),
    ...serviceLogCalls(view),
    ...knowledgeCalls(hypotheses),
  ];
};

type Asking = { standing: Standing; document: CaseDocument; offered: readonly string[] };

const fresh = ({ standing, document, offered }: Asking, calls: readonly Call[]): Call[] => {
  const known = new Set(standing.view.calls.map(keyOf));
  const underWay = new Set(
    document.actions.filter(({ state }) => state === 'reserved').map(({ expectedIfTrue }) => expectedIfTrue),
  );
  const isUnderWay = (call: Call) => [...underWay].some((text) => text.startsWith(`${subjectOf(call)}: `));
  return calls.filter((call) => {
    const key = keyOf(call);
    if (known.has(key) || isUnderWay(call)) return false;
    known.add(key);
    return offered.length === 0 || offered.includes(call.tool);
  });
};

/** Calls of the overview that this hypothesis asks: its own, and those of families that no hypothesis speaks of. */
const overviewFor = ({ document }: Asking, families: readonly Family[], isFirst: boolean): Call[] => {
  const spoken = new Set(document.hypotheses.flatMap(({ statement }) => familiesOfStatement(statement)));
  return OVERVIEW.filter((call) => {
    const owner = ownerOf(call);
    return families.includes(owner) || (isFirst && !spoken.has(owner));
  });
};

/** What must be read before a cause is named. */
export const missingFor = (asking: Asking): Call[] =>
  fresh(asking, [...OVERVIEW, ...essentials(asking.standing)]);

/** The next calls for one hypothesis, the most useful first; none when it has seen what it wanted. */
export const callsFor = (asking: Asking, stated: Stated): Call[] => {
  const { standing, document } = asking;
  const families = familiesOfStatement(stated.statement);
  const isFirst = document.hypotheses[0]?.id === stated.id;
  const overview = fresh(asking, overviewFor(asking, families, isFirst));
  if (overview.length > 0) return overview;
  if (leaderAmong(standing, document.hypotheses)?.id === stated.id && standing.best !== null)
    return fresh(asking, [...essentials(standing), ...further(standing)]);
  return fresh(
    asking,
    families.flatMap((family) => LOOKS[family](standing.view)),
  );
};

const EXPECTED_CHARS_MAX = 400;

/** A call with what it would show if the hypothesis held, and if it did not. */
export const actionOf = (call: Call, { statement }: Stated): Action => {
  const families = familiesOfStatement(statement);
  const shown = (of: 'confirmedBy' | 'refutedBy', otherwise: string) => {
    const words = families.map((family) => FAMILIES[family][of]).join('; or ') || otherwise;
    return `${subjectOf(call)}: ${words}`.slice(0, EXPECTED_CHARS_MAX);
  };
  return {
    tool: call.tool,
    arguments: call.args,
    expectedIfTrue: shown('confirmedBy', 'something that fits the hypothesis'),
    expectedIfFalse: shown('refutedBy', 'nothing that fits the hypothesis'),
  };
};

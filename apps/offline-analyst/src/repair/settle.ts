import { WITHDRAWN, type Withdrawable } from './remedies';
import { isNode, type Node } from './node';

const STRENGTH = ['CAUSE', 'CORRELATION', 'OBSERVATION', 'NEGATIVE_OBSERVATION'];
const UNDECIDED = 'The evidence does not single out a cause.';
const QUIET = 'No fault was found.';

const present = (list: unknown): Node[] => (Array.isArray(list) ? (list as unknown[]).filter(isNode) : []);

/** Members that may be missing; a list without members is left out. */
const OPTIONAL = new Set(['facts', 'quotes', 'entities', 'derived']);
/** What an item stands on: without it the item goes. */
const FOOTING = ['toolCallIds', 'documentIds'];

const closed = (item: Node): Node =>
  Object.fromEntries(
    Object.entries(item).flatMap(([key, value]) => {
      if (!Array.isArray(value)) return [[key, value]];
      const kept = (value as unknown[]).filter((member) => member !== null);
      return kept.length === 0 && OPTIONAL.has(key) ? [] : [[key, kept]];
    }),
  );

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Lists without gaps; an item that has lost the last of its citations, or of its documents, is gone with them. */
const closedUp = (items: readonly Node[]): Node[] =>
  items.flatMap((item) => {
    const whole = closed(item);
    const fell = FOOTING.some((key) => isEmptyList(whole[key]) && !isEmptyList(item[key]));
    return fell ? [] : [whole];
  });

const bound = (items: readonly Node[], ids: ReadonlySet<unknown>): Node[] =>
  items.flatMap((item) => {
    const analysisIds = (Array.isArray(item.analysisIds) ? (item.analysisIds as unknown[]) : []).filter(
      (id) => ids.has(id),
    );
    return analysisIds.length === 0 ? [] : [{ ...item, analysisIds }];
  });

/** Says what the strongest remaining analysis says, and no more. */
const reworded = (status: unknown, strongest: Node | undefined): Node => {
  if (status === 'NO_FAULT_FOUND') return { status, text: QUIET };
  return strongest?.kind === 'CAUSE'
    ? { status, text: strongest.text }
    : { status: 'INCONCLUSIVE', text: UNDECIDED };
};

const settledConclusion = (before: Node, analyses: readonly Node[], withdrawn: boolean): Node => {
  const ids = new Set(analyses.map(({ id }) => id));
  const own = (Array.isArray(before.analysisIds) ? (before.analysisIds as unknown[]) : []).filter((id) =>
    ids.has(id),
  );
  const strongest = [...analyses].sort(
    (a, b) => STRENGTH.indexOf(String(a.kind)) - STRENGTH.indexOf(String(b.kind)),
  )[0];
  const claimsCause = before.status === 'ROOT_CAUSE_IDENTIFIED' || before.status === 'PROBABLE_CAUSE';
  const lostItsCause = claimsCause && strongest?.kind !== 'CAUSE';
  return {
    ...before,
    ...(withdrawn || lostItsCause ? reworded(before.status, strongest) : {}),
    analysisIds: own.length > 0 ? own : [...ids],
  };
};

/** What is left, made whole again: no gaps, no references to what is gone, no conclusion beyond its analyses. */
export const settled = (draft: Withdrawable): Node => {
  if (Array.isArray(draft.items)) return { ...draft, items: closedUp(present(draft.items)) };
  const analyses = closedUp(present(draft.analyses));
  const ids = new Set(analyses.map(({ id }) => id));
  const candidates = present(draft.candidates).filter(({ analysisId }) => ids.has(analysisId));
  const { candidates: _, ...rest } = draft;
  return {
    ...rest,
    conclusion: settledConclusion(
      isNode(draft.conclusion) ? draft.conclusion : {},
      analyses,
      draft[WITHDRAWN] === true,
    ),
    analyses,
    actionPlan: bound(present(draft.actionPlan), ids),
    recommendations: bound(present(draft.recommendations), ids),
    limitations: closedUp(present(draft.limitations)),
    ...(candidates.length > 0 ? { candidates } : {}),
  };
};

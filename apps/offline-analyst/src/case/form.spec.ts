import { Hypothesis } from '@inquest/contracts/case-parts';
import { viewOf } from '../../test/investigation';
import { familiesOfStatement, familyOfCause, FAMILIES, type Family } from './families';
import { formHypotheses } from './form';

const QUIET_VIEW = viewOf({});
const POOL_ERROR = 'timeout exceeded when trying to connect (pool size=10)';
const LOUD_VIEW = viewOf({
  logs: [{ service: 'orders', message: POOL_ERROR }],
  dependencies: [['web', 'orders']],
});

describe('hypotheses that are formed by rules', () => {
  it.each([2, 3, 4, 5, 6, 7])('are %i where so many are wanted, and speak of every family', (max) => {
    const formed = formHypotheses(QUIET_VIEW, max);
    expect(formed).toHaveLength(max);
    expect(new Set(formed.map(({ statement }) => statement)).size).toBe(max);
    for (const proposed of formed)
      expect(Hypothesis.omit({ id: true }).safeParse(proposed).error).toBeUndefined();
    const spoken = formed.flatMap(({ statement }) => familiesOfStatement(statement)).sort();
    expect(spoken).toEqual(Object.keys(FAMILIES).sort());
  });

  it('put first what the question hints at', () => {
    const [first] = formHypotheses({ ...QUIET_VIEW, question: 'Why are requests slow?' }, 7);
    expect(familiesOfStatement(first?.statement ?? '')).toEqual(['RESOURCE']);
    const [other] = formHypotheses({ ...QUIET_VIEW, question: 'Which node broke?' }, 7);
    expect(familiesOfStatement(other?.statement ?? '')).toEqual(['NODE']);
  });

  it('begin with what the rules make of evidence that is there', () => {
    const [first, ...others] = formHypotheses(LOUD_VIEW, 5);
    expect(first?.statement).toContain('The database connection pool of orders is exhausted');
    expect(others).toHaveLength(4);
  });
});

describe('families of causes', () => {
  it.each<[string, Family]>([
    ['NAMESPACE_CPU_QUOTA_EXCEEDED', 'PLACEMENT'],
    ['NODE_SELECTOR_MISMATCH', 'PLACEMENT'],
    ['MEMORY_CAPACITY_MISMATCH', 'PLACEMENT'],
    ['PVC_SELECTOR_MISMATCH', 'PLACEMENT'],
    ['IMAGE_REGISTRY_DNS_FAILURE', 'PLACEMENT'],
    ['SERVICE_SELECTOR_MISMATCH', 'ROUTING'],
    ['SERVICE_PORT_MAPPING_MISMATCH', 'ROUTING'],
    ['NODE_DISK_PRESSURE', 'NODE'],
    ['KUBELET_UNAVAILABLE', 'NODE'],
    ['OOM_KILLED', 'RESOURCE'],
    ['DATABASE_CONNECTION_POOL_EXHAUSTED', 'RESOURCE'],
    ['LIVENESS_PROBE_INCORRECT_PORT', 'SETTING'],
    ['DATABASE_INVALID_CREDENTIALS', 'SETTING'],
    ['DEPENDENCY_UNREACHABLE', 'DEPENDENCY'],
  ])('%s is of %s', (cause, family) => expect(familyOfCause(cause)).toBe(family));

  it.each<[string, Family[]]>([
    ['The connection pool of orders ran dry.', ['RESOURCE']],
    ['Pods stay pending, since a quota is used up.', ['PLACEMENT']],
    ['Nothing is wrong.', ['QUIET']],
    ['The moon is full.', []],
  ])('a statement of somebody else is read by its words: %s', (statement, families) =>
    expect(familiesOfStatement(statement)).toEqual(families),
  );
});

import { ChangeRequest, type CodingTask, type MissingInformation } from '@inquest/contracts/change-request';
import type { Coordinates } from '@inquest/contracts/case-parts';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId } from '@inquest/contracts/ids';
import { PLAYED_REPORT } from '@inquest/testing/played-case';
import type { AcceptedDiagnosis } from './accepted-diagnosis';
import { changeRequestOf } from './change-request';
import { canBeCarriedOut, invalidTask } from './coding-task';

const PLACE: Coordinates = {
  service: 'checkout',
  repository: 'git.example.org/checkout',
  path: 'src',
  ref: 'v41',
};

const accepted = (change: Partial<AcceptedDiagnosis> = {}): AcceptedDiagnosis => ({
  caseId: '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId,
  ref: 'analysis/diagnosis/0001/',
  snapshotHash: 'a'.repeat(64),
  reportHash: 'b'.repeat(64),
  report: PLAYED_REPORT,
  coordinates: [PLACE],
  ...change,
});
const report = (change: Partial<DiagnosisDraft>): AcceptedDiagnosis =>
  accepted({ report: { ...PLAYED_REPORT, ...change } });
const concluding = (status: DiagnosisDraft['conclusion']['status']): AcceptedDiagnosis =>
  report({ conclusion: { ...PLAYED_REPORT.conclusion, status } });
const [cause] = PLAYED_REPORT.analyses;
if (!cause) throw new Error('the played report has a cause');
const recommending = (text: string): AcceptedDiagnosis =>
  report({ recommendations: [{ id: 'r1', text, analysisIds: ['a1'] }] });

const missingOf = (diagnosis: AcceptedDiagnosis): MissingInformation['what'][] => {
  const request = ChangeRequest.parse(changeRequestOf(diagnosis));
  return request.issued === null ? request.missing.map(({ what }) => what) : [];
};
const taskOf = (diagnosis: AcceptedDiagnosis): CodingTask => {
  const { issued } = changeRequestOf(diagnosis);
  if (!issued) throw new Error('no task was issued');
  return issued;
};

describe('E8 the Change Request of an accepted diagnosis', () => {
  it('is a task where cause, place and wanted change are known, in the words of the report', () => {
    expect(ChangeRequest.parse(changeRequestOf(accepted()))).toEqual({
      issued: {
        schema: 'inquest.coding-task.v1',
        caseId: accepted().caseId,
        diagnosis: 'analysis/diagnosis/0001/',
        snapshotHash: 'a'.repeat(64),
        reportHash: 'b'.repeat(64),
        conclusion: 'ROOT_CAUSE_IDENTIFIED',
        target: PLACE,
        cause: { analysisId: 'a1', text: cause.text, toolCallIds: cause.toolCallIds },
        wanted: [{ id: 'r1', text: 'Return connections when a request ends.' }],
        unknown: [],
      },
    });
    expect(taskOf(concluding('PROBABLE_CAUSE')).conclusion).toBe('PROBABLE_CAUSE');
  });

  it('says which parts of a place are still to be found out', () => {
    expect(taskOf(accepted({ coordinates: [{ ...PLACE, path: null, ref: null }] })).unknown).toEqual([
      'PATH',
      'REF',
    ]);
  });

  it.each<[string, AcceptedDiagnosis, MissingInformation['what'][]]>([
    ['no fault was found', concluding('NO_FAULT_FOUND'), ['CAUSE']],
    ['nothing was concluded', concluding('INCONCLUSIVE'), ['CAUSE']],
    ['the cause is a correlation', report({ analyses: [{ ...cause, kind: 'CORRELATION' }] }), ['CAUSE']],
    [
      'the conclusion rests on another statement',
      report({ conclusion: { ...PLAYED_REPORT.conclusion, analysisIds: ['a2'] } }),
      ['CAUSE'],
    ],
    ['the cause lies in no service', report({ analyses: [{ ...cause, entities: [] }] }), ['SERVICE']],
    ['there are no coordinates', accepted({ coordinates: [] }), ['COORDINATES']],
    [
      'they are those of another service',
      accepted({ coordinates: [{ ...PLACE, service: 'cart' }] }),
      ['COORDINATES'],
    ],
    [
      'they name two places',
      accepted({ coordinates: [PLACE, { ...PLACE, repository: 'git.example.org/other' }] }),
      ['ONE_PLACE'],
    ],
    ['nothing is recommended', report({ recommendations: [] }), ['WANTED_CHANGE']],
    [
      'what is recommended follows from something else',
      report({ recommendations: [{ id: 'r1', text: 'Alert on it.', analysisIds: ['a2'] }] }),
      ['WANTED_CHANGE'],
    ],
    [
      'both place and change are unknown',
      { ...report({ recommendations: [] }), coordinates: [] },
      ['COORDINATES', 'WANTED_CHANGE'],
    ],
  ])('issues nothing and names what is missing when %s', (_, diagnosis, what) => {
    expect(missingOf(diagnosis)).toEqual(what);
  });

  it('finds the service by evidence first, then by scope, then by rank', () => {
    const scoped = report({ analyses: [{ ...cause, entities: [], scope: { service: 'checkout' } }] });
    expect(taskOf(scoped).target.service).toBe('checkout');
    const ranked = report({
      analyses: [{ ...cause, entities: [] }],
      candidates: [
        { rank: 2, object: 'cart', cause: 'pool', analysisId: 'a1' },
        { rank: 1, object: 'checkout', cause: 'pool', analysisId: 'a1' },
      ],
    });
    expect(taskOf(ranked).target.service).toBe('checkout');
    const named = changeRequestOf({ ...ranked, coordinates: [] });
    expect(named).toMatchObject({ issued: null, missing: [{ service: 'checkout' }] });
  });
});

describe('E8 nothing that could be carried out is handed on', () => {
  it.each([
    'Apply this:\n```\nfoo\n```',
    'diff --git a/pool.ts b/pool.ts',
    '@@ -1,4 +1,5 @@\n pool',
    '--- a/pool.ts\n+++ b/pool.ts',
    '*** Update File: pool.ts',
    'UPDATE orders SET state = 1',
    'Then update "orders" set "state"=1 where id = 3',
    'insert into orders (id) values (1)',
    'DELETE FROM orders WHERE id = 1',
    'delete from orders;',
    'ALTER SYSTEM SET max_connections = 500',
    'drop table orders;',
    'truncate table orders;',
    'create index concurrently_1 on orders (id)',
    'create or replace function f() as',
    'GRANT ALL ON orders TO checkout',
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
    'select * from orders where id = 1',
    'kubectl delete pod checkout-1',
    'Run kubectl  rollout restart deploy/checkout',
    'helm upgrade shop ./chart',
    'git revert abc123',
    'docker restart checkout',
    'systemctl restart postgres',
    'psql -c x',
    'curl -X POST http://shop/admin',
    'sudo reboot',
    'rm -rf /var/lib/shop',
    'sed -i s/10/20/ pool.yaml',
    '<script>alert(1)</script>',
  ])('%j is no wanted change', (text) => {
    expect(canBeCarriedOut(text)).toBe(true);
    expect(missingOf(recommending(text))).toEqual(['WANTED_CHANGE_IN_WORDS']);
    const inCause = report({ analyses: [{ ...cause, text }] });
    expect(missingOf(inCause)).toEqual(['WANTED_CHANGE_IN_WORDS']);
  });

  it.each([
    'Update the pool so that it sets a timeout.',
    'Delete from the cache what is older than a day.',
    'Sessions select from three replicas; prefer the nearest.',
    'Insert into the release notes that the pool has grown.',
    'Set max_connections to 50 and alter the table of limits in the handbook.',
    'Drop table scans by adding an index on orders.id.',
    'Grant the team access to the dashboard.',
    'Create a table of the limits in the runbook.',
    'Roll the deployment back and restart checkout.',
    'Use try/finally -- so that connections are returned.',
    'Close transactions; a session idle in transaction holds its connection.',
  ])('%j is a sentence', (text) => {
    expect(canBeCarriedOut(text)).toBe(false);
    expect(taskOf(recommending(text)).wanted).toEqual([{ id: 'r1', text }]);
  });
});

describe('E8 the output validator trusts no author of a task', () => {
  const task = taskOf(accepted());
  it('passes what follows from the report', () => expect(invalidTask(task, accepted())).toEqual([]));

  it.each<[string, object]>([
    ['another member', { ...task, patch: 'diff' }],
    ['another case', { ...task, caseId: '1b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' }],
    ['another diagnosis', { ...task, diagnosis: 'analysis/diagnosis/0002/' }],
    ['another snapshot', { ...task, snapshotHash: 'c'.repeat(64) }],
    ['another report', { ...task, reportHash: 'c'.repeat(64) }],
    ['another conclusion', { ...task, conclusion: 'PROBABLE_CAUSE' }],
    ['a place that nobody named', { ...task, target: { ...PLACE, repository: 'elsewhere' } }],
    ['another cause', { ...task, cause: { ...task.cause, text: 'The moon.' } }],
    ['a statement that is none', { ...task, cause: { ...task.cause, analysisId: 'a9' } }],
    ['another source', { ...task, cause: { ...task.cause, toolCallIds: ['tc-9-9'] } }],
    ['a wish that nobody recommended', { ...task, wanted: [{ id: 'r1', text: 'Rewrite it.' }] }],
    ['nothing wanted', { ...task, wanted: [] }],
    ['an unknown that is known', { ...task, unknown: ['REF'] }],
  ])('%s', (_, forged) => expect(invalidTask(forged, accepted())).toContain('VALID_DOCUMENT'));
});

import fc from 'fast-check';
import { partsOfStep, RunId, Step, StepKind, stepOf, WorkService } from './ids';
import { fnv1a, parseSubject, partitionOf, runSubjects } from './subjects';

const RUN = RunId.parse('0a1b2c3d-0000-8000-8000-00000000000f');

it.each([
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['foobar', 0xbf9cf968],
])('fnv1a(%j) is the published value', (text, hash) => {
  expect(fnv1a(text)).toBe(hash);
});

it('a run always lies in one of the partitions', () => {
  fc.assert(fc.property(fc.string(), fc.integer({ min: 1, max: 64 }), (id, p) => partitionOf(id, p) < p));
});

it('every subject of a run is read back as what it was made of', () => {
  const subjects = runSubjects(RUN, 4);
  fc.assert(
    fc.property(
      fc.constantFrom(...WorkService.options),
      fc.nat(999),
      fc.constantFrom(...StepKind.options),
      fc.nat(99),
      fc.integer({ min: 1, max: 9 }),
      (service, turn, kind, index, attempt) => {
        const step = stepOf(turn, kind, index, attempt);
        expect(partsOfStep(step)).toEqual({ turn, kind, index, attempt });
        for (const family of ['req', 'call', 'res'] as const) {
          expect(parseSubject(subjects[family](service, step))).toEqual({
            partition: subjects.partition,
            runId: RUN,
            family,
            service,
            step,
          });
        }
      },
    ),
  );
  expect(parseSubject(subjects.chain)).toMatchObject({ family: 'run' });
  expect(parseSubject(subjects.in('disconnect-3'))).toMatchObject({ family: 'in', kind: 'disconnect-3' });
});

it.each([
  'diag.0',
  'diag.x.0a1b2c3d-0000-8000-8000-00000000000f.run',
  'diag.0.not-a-run.run',
  'diag.0.0a1b2c3d-0000-8000-8000-00000000000f.run.more',
  'diag.0.0a1b2c3d-0000-8000-8000-00000000000f.res.agent',
  'diag.0.0a1b2c3d-0000-8000-8000-00000000000f.res.nobody.t1-model0-a1',
  'diag.0.0a1b2c3d-0000-8000-8000-00000000000f.res.agent.t1-model0-a1.more',
  'diag.0.0a1b2c3d-0000-8000-8000-00000000000f.in.UPPER',
  'other.0.0a1b2c3d-0000-8000-8000-00000000000f.run',
])('%s is no subject of ours', (subject) => {
  expect(parseSubject(subject)).toBeUndefined();
});

it('steps of early reviews are legal steps too', () => {
  expect(Step.safeParse('d0001-e0002-p1-a1').success).toBe(true);
  expect(partsOfStep('d0001-e0002-p1-a1')).toBeUndefined();
});

import type { HypothesisId, InvestigationPrompt } from '@inquest/contracts/case-parts';
import { failed, judged, rejectedDraft } from '../run/run.fixtures';
import { CaseUnderTest, formed, proofAccepted, research, turn } from './case.fixtures';

const ofStep = (c: CaseUnderTest, kind: string) => c.case.open.filter((o) => o.kind === kind);
const rejected = rejectedDraft();

describe('opening and forming', () => {
  it('asks for hypotheses, and gives each of them a turn in the order of their ids', () => {
    const c = new CaseUnderTest().form();
    expect(c.types).toEqual(['CaseModelCallRecorded', 'HypothesesFormed', 'CaseStepRequested']);
    const turns: (HypothesisId | null)[] = [];
    for (let i = 0; i < 3; i += 1) {
      turns.push(ofStep(c, 'turn')[0]?.hypothesisId ?? null);
      c.turn(turn({ kind: 'assess' }));
    }
    expect(turns).toEqual(['h1', 'h2', 'h3']);
  });

  it.each([
    ['one hypothesis', formed(1), 'FEWER_THAN_TWO_HYPOTHESES'],
    [
      'the same one twice',
      {
        ...formed(2),
        hypotheses: [1, 2].map(() => ({ statement: 'Same. ', confirmedBy: 'x', refutedBy: 'y' })),
      },
      'HYPOTHESIS_PROPOSED_TWICE',
    ],
  ])('asks again for %s, within its limit, in a namespace of its own', (_, answer, why) => {
    const c = new CaseUnderTest()
      .form(answer as never)
      .form(answer as never)
      .form(answer as never);
    expect(
      c.of('InvalidResponseRecorded').map(({ namespace, why: said, count }) => [namespace, said, count]),
    ).toEqual([
      ['analysis/form', why, 1],
      ['analysis/form', why, 2],
      ['analysis/form', why, 3],
    ]);
    expect(c.finish().case.ended).toMatchObject({ type: 'CaseFailed', reason: 'FORMING_FAILED' });
  });

  it('opens no case where the installation is not cut over', () => {
    const c = new CaseUnderTest({ gate: 'SHUT' });
    expect(c.types).toEqual(['CaseOpened', 'CaseOutcomeSealed']);
    expect(c.finish().case.ended).toMatchObject({ type: 'CaseFailed', reason: 'NOT_CUT_OVER' });
  });
});

describe('accounts', () => {
  it('write down what is expected before the action is requested', () => {
    const c = new CaseUnderTest().form().turn(turn(research(2)));
    expect(c.types).toEqual([
      'CaseModelCallRecorded',
      'TurnAssessed',
      'ActionReserved',
      'CaseStepRequested',
      'ActionReserved',
      'CaseStepRequested',
      'CaseStepRequested',
    ]);
    expect(c.case.actions[0]).toMatchObject({ toolCallId: 'tc-1-0', expectedIfTrue: 'errors of the pool' });
    expect(c.case.hypotheses[0]).toMatchObject({ reserved: 2, spent: 0 });
  });

  it('charge what ran and give back what did not', () => {
    const c = new CaseUnderTest().form().turn(turn(research(3)));
    c.act().act({ status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'NOT_STARTED' });
    expect(c.case.hypotheses[0]).toMatchObject({ reserved: 1, spent: 1 });
    c.at(60_000);
    expect(c.of('ActionReleased').map(({ why }) => why)).toEqual(['NOT_STARTED', 'DEADLINE']);
    expect(c.case.hypotheses[0]).toMatchObject({ reserved: 0, spent: 1 });
  });

  it('refuse more than is left, and close when all is spent and seen', () => {
    const c = new CaseUnderTest({ policy: { actionsPerHypothesis: 1 } }).form();
    c.turn(turn(research(2)));
    expect(c.of('InvalidResponseRecorded')).toMatchObject([
      { why: 'TOO_MANY_ACTIONS', namespace: 'analysis/turn/1' },
    ]);
    const low = turn({ kind: 'assess' }, { confidence: 'contradicted' });
    c.turn(turn(research(1)))
      .turn(low)
      .turn(low)
      .act()
      .turn(low)
      .turn(turn({ kind: 'assess' }));
    expect(c.of('HypothesisExhausted')).toMatchObject([{ hypothesisId: 'h1', why: 'BUDGET' }]);
  });

  it('close the hypothesis whose turn gave no valid answer, and the case goes on', () => {
    const c = new CaseUnderTest({ policy: { maxInvalidResponses: 1 } }).form();
    c.turn(failed('INVALID_RESPONSE') as never).turn(failed('EMPTY') as never);
    expect(c.of('HypothesisExhausted')).toMatchObject([{ hypothesisId: 'h1', why: 'INVALID_RESPONSES' }]);
    expect(ofStep(c, 'turn')).toMatchObject([{ hypothesisId: 'h2' }]);
  });
});

describe('E6 the confidence scheduler', () => {
  it('serves the highest rating, ties by fewest spent actions, then by id; who waits for results is passed over', () => {
    const c = new CaseUnderTest().form();
    c.turn(turn({ kind: 'assess' }, { confidence: 'supported' }));
    c.turn(turn({ kind: 'assess' }, { confidence: 'supported' }));
    c.turn(turn({ kind: 'assess' }, { confidence: 'strongly_supported' }));
    expect(ofStep(c, 'turn')).toMatchObject([{ hypothesisId: 'h3' }]);
    c.turn(turn(research()));
    expect(ofStep(c, 'turn')).toMatchObject([{ hypothesisId: 'h1' }]);
    c.turn(turn(research()));
    c.act().act();
    c.turn(turn({ kind: 'assess' }, { confidence: 'weakly_supported' }));
    c.turn(turn({ kind: 'assess' }, { confidence: 'supported' }));
    // h1 and h3 have spent one action each and are rated alike.
    expect(ofStep(c, 'turn')).toMatchObject([{ hypothesisId: 'h1' }]);
  });
});

describe('the ordinary path', () => {
  const closed = () => {
    const c = new CaseUnderTest().untilEvidence();
    c.turn(turn({ kind: 'conclude' }, { confidence: 'supported' }));
    return c.turn(turn({ kind: 'reject', reason: 'no' })).turn(turn({ kind: 'reject', reason: 'no' }));
  };

  it('E1 E10 builds the diagnosis when all accounts are closed, to the same checkpoint', () => {
    const c = closed();
    expect(c.of('DiagnosisBuildingStarted')).toMatchObject([{ diagnosis: 1, review: null, leading: 'h1' }]);
    c.final().prove(proofAccepted(1, 'NO_FAULT_FOUND')).judge().finish();
    expect(c.of('DiagnosisCompleted')).toMatchObject([
      { review: null, artifactRef: 'analysis/diagnosis/0001/' },
    ]);
    expect(c.case.ended).toMatchObject({ type: 'CaseDiagnosed' });
  });

  it('ends inconclusive with a report that says so', () => {
    const c = closed().final().prove(proofAccepted(1, 'INCONCLUSIVE')).judge().finish();
    expect(c.case.ended).toMatchObject({
      type: 'CaseInconclusive',
      reason: 'NO_CAUSE_ESTABLISHED',
      fallback: null,
    });
  });

  it.each([
    [
      'the evidence',
      (c: CaseUnderTest) => c.prove(rejected).final('refine').prove(rejected),
      'FINAL_VALIDATION_FAILED',
    ],
    ['the judge', (c: CaseUnderTest) => c.prove().judge(judged('UNSUPPORTED')), 'FINAL_VALIDATION_FAILED'],
    [
      'an absent judge',
      (c: CaseUnderTest) =>
        c
          .prove()
          .judge(failed('TIMEOUT') as never)
          .judge(failed('TIMEOUT') as never),
      'SEMANTIC_UNAVAILABLE',
    ],
  ])('ends without a text when %s does not carry it', (_, go, reason) => {
    const c = closed().final();
    go(c);
    expect(c.finish().case.ended).toMatchObject({ type: 'CaseInconclusive', reason, snapshotHash: null });
  });

  it('ends at its deadline with nothing released and nothing reserved', () => {
    const c = new CaseUnderTest({ policy: { wallClockMs: 50_000 } })
      .form()
      .turn(turn(research(2)))
      .at(50_000);
    expect(c.of('ActionReleased').map(({ why }) => why)).toEqual(['CASE_ENDED', 'CASE_ENDED']);
    expect(c.finish().case.ended).toMatchObject({ type: 'CaseFailed', reason: 'DEADLINE_EXCEEDED' });
  });
});

describe('E11 E2 protocols', () => {
  const OLD = { plain: 'investigation_v1', project: 'investigation_project_v2' } as const;

  it('a pending call is asked and parsed under its own; the next decision adopts the current one', () => {
    const c = new CaseUnderTest({ prompts: OLD }).form();
    const pending = ofStep(c, 'turn')[0];
    expect(pending?.promptVersion).toBe('investigation_v1');
    c.prompts = { plain: 'investigation_v3', project: 'investigation_project_v4' };
    c.turn(failed('INVALID_RESPONSE') as never);
    expect(ofStep(c, 'turn')[0]?.promptVersion).toBe('investigation_v1');
    c.turn(turn({ kind: 'assess' }));
    expect(c.of('PromptVersionAdopted')).toMatchObject([
      { from: 'investigation_v1', to: 'investigation_v3' },
    ]);
    expect(ofStep(c, 'turn')[0]?.promptVersion).toBe('investigation_v3');
  });

  it.each(['investigation_v1', 'investigation_project_v2'] as InvestigationPrompt[])(
    '%s knows no early diagnosis',
    (version) => {
      const c = new CaseUnderTest({ prompts: { plain: version, project: version } })
        .untilEvidence()
        .untilRequest();
      expect(c.of('InvalidResponseRecorded').at(-1)).toMatchObject({ why: 'NEXT_NOT_PERMITTED' });
    },
  );

  it('a case with coordinates of code is asked under the project’s', () => {
    const coordinates = [{ service: 'checkout', repository: 'shop/checkout', path: null, ref: null }];
    const c = new CaseUnderTest({ request: { coordinates } });
    expect(ofStep(c, 'form')[0]?.promptVersion).toBe('investigation_project_v4');
  });
});

describe('cancellation', () => {
  it('ends when what was under way has answered, and keeps nothing reserved', () => {
    const c = new CaseUnderTest().form().turn(turn(research()));
    c.decide({ type: 'TakeCancel', cause: 'PERSON' });
    expect(c.types).toEqual(['CaseCancellationRequested']);
    c.turn(turn({ kind: 'assess' })).act();
    expect(c.of('CaseLateResultDiscarded')).toHaveLength(2);
    expect(c.case.ended).toMatchObject({ type: 'CaseCancelled', cause: 'PERSON' });
    expect(c.of('ActionReleased')).toMatchObject([{ why: 'CASE_ENDED' }]);
  });

  it('before the seal wins over what was sealed', () => {
    const c = new CaseUnderTest({ gate: 'SHUT' });
    c.decide({ type: 'FinishSealed', sealedSeq: 9, earlierCancel: 'PERSON' });
    expect(c.case.ended).toMatchObject({ type: 'CaseCancelled', sealedSeq: 9 });
  });
});

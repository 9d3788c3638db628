import { failed, rejectedDraft } from '../run/run.fixtures';
import { CaseUnderTest, H1, H2, evaluated, finding, requestDiagnosis, research, turn } from './case.fixtures';

const ofStep = (c: CaseUnderTest, kind: string) => c.case.open.filter((o) => o.kind === kind);
const rejected = rejectedDraft();

describe('E3 what a request needs', () => {
  const good = [finding('tc-1-0', { h1: 'consistent', h2: 'inconsistent' })];
  it.each([
    ['a lower rating', 'supported', good, ['f5-0'], 'NOT_STRONGLY_SUPPORTED'],
    [
      'no finding for it',
      'strongly_supported',
      [finding('tc-1-0', { h2: 'neutral' })],
      ['f5-0'],
      'NO_CONSISTENT_EVIDENCE',
    ],
    ['an unknown countercheck', 'strongly_supported', good, ['f9-9'], 'UNKNOWN_COUNTERCHECK'],
    [
      'a countercheck of no alternative',
      'strongly_supported',
      [...good, finding('tc-1-0', { h1: 'consistent' })],
      ['f5-1'],
      'COUNTERCHECK_WITHOUT_ALTERNATIVE',
    ],
  ] as const)('%s is refused', (_, confidence, findings, refs, why) => {
    const c = new CaseUnderTest().untilEvidence();
    c.turn(turn(requestDiagnosis(...refs), { findings: [...findings], confidence }));
    expect(c.of('InvalidResponseRecorded')).toMatchObject([{ why }]);
    expect(c.case.reviews).toEqual([]);
  });

  it('evidence that another hypothesis collected counts, and another supported one is no contradiction', () => {
    const c = new CaseUnderTest().form().turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    c.turn(turn(research()))
      .turn(turn({ kind: 'assess' }, { confidence: 'supported' }))
      .act();
    const h3 = turn(requestDiagnosis('f4-0'), {
      findings: [finding('tc-2-0', { h3: 'consistent', h2: 'consistent' })],
      confidence: 'strongly_supported',
    });
    expect(c.turn(h3).of('EarlyDiagnosisRequested')).toMatchObject([{ hypothesisId: 'h3' }]);
  });

  it('E4 whether a countercheck tells hypotheses apart is not the harness’s to say', () => {
    const c = new CaseUnderTest().untilEvidence();
    c.turn(
      turn(requestDiagnosis('f5-0'), {
        findings: [finding('tc-1-0', { h1: 'consistent', h2: 'consistent' })],
        confidence: 'strongly_supported',
      }),
    );
    expect(c.case.reviews).toHaveLength(1);
  });
});

describe('E5 preparing', () => {
  /** The request comes while an action of h2 is under way. */
  const preparing = () => {
    const c = new CaseUnderTest().form();
    c.turn(turn(research()));
    c.turn(turn(research(), { confidence: 'supported' }));
    c.turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    const first = c.case.open.find((o) => o.toolCallId === 'tc-1-0');
    if (first === undefined) throw new Error('no first action');
    c.act().turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    c.untilRequest();
    return c;
  };

  it('starts no research, waits for every reservation, and stays INVESTIGATING_HYPOTHESES', () => {
    const c = preparing();
    expect(c.of('EarlyDiagnosisRequested')).toMatchObject([
      { review: 1, hypothesisId: 'h1', deferred: ['h2', 'h3'] },
    ]);
    expect(c.case.phase).toBe('INVESTIGATING_HYPOTHESES');
    expect(c.case.open.map(({ kind }) => kind)).toEqual(['act']);
  });

  it('gives each hypothesis with unseen results one turn, in which it may defer or reject', () => {
    const c = preparing().act();
    expect(ofStep(c, 'turn')).toMatchObject([{ mode: 'PREPARE', hypothesisId: 'h2' }]);
    c.turn(turn(research()));
    expect(c.of('InvalidResponseRecorded')).toMatchObject([{ why: 'NEXT_NOT_PERMITTED' }]);
    c.turn(turn({ kind: 'defer', reason: 'later' }));
    expect(c.of('AlternativeDeferred')).toHaveLength(1);
    expect(c.case.hypotheses[1]?.state).toBe('open');
    expect(c.case.phase).toBe('BUILDING_DIAGNOSIS');
    expect(ofStep(c, 'review')).toMatchObject([{ step: 'd0001-e0001-p1-a1', pass: 1 }]);
  });

  it('an action past its deadline is released, and nobody is exhausted or refuted by it', () => {
    const c = preparing().at(60_000);
    expect(c.of('ActionReleased')).toMatchObject([{ why: 'DEADLINE', hypothesisId: 'h2' }]);
    expect(c.case.phase).toBe('BUILDING_DIAGNOSIS');
    expect(c.case.hypotheses.map(({ state }) => state)).toEqual(['open', 'open', 'open']);
  });

  it('a leader that fell is declined without a model call', () => {
    const c = new CaseUnderTest().form();
    c.turn(turn(research(2))).turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    c.turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }))
      .act()
      .act();
    c.turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    // Two results were seen; a third comes in while the request is prepared.
    c.turn(turn(research()));
    c.act();
    c.turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    c.untilRequest();
    expect(c.case.phase).toBe('BUILDING_DIAGNOSIS');
    const fallen = new CaseUnderTest().form().turn(turn(research())).turn(turn(research()));
    fallen.turn(turn({ kind: 'assess' }, { confidence: 'contradicted' })).act();
    fallen
      .turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }))
      .untilRequest()
      .act();
    fallen.turn(turn({ kind: 'reject', reason: 'it is out' }));
    expect(fallen.case.phase).toBe('BUILDING_DIAGNOSIS');
  });

  it('defer is not to be had outside of it', () => {
    const c = new CaseUnderTest().untilEvidence().turn(turn({ kind: 'defer', reason: 'later' }));
    expect(c.of('InvalidResponseRecorded')).toMatchObject([{ why: 'NEXT_NOT_PERMITTED' }]);
  });
});

describe('E7 the independent evaluation', () => {
  const building = () => new CaseUnderTest().untilEvidence().untilRequest();

  it('accepts what both orders accept, and the diagnosis passes both guards', () => {
    const c = building().evaluate(evaluated(1)).evaluate(evaluated(2)).final().prove().judge().finish();
    expect(c.of('EarlyReviewPassRecorded').map(({ pass, objection }) => [pass, objection])).toEqual([
      [1, null],
      [2, null],
    ]);
    expect(c.of('DiagnosisCompleted')).toMatchObject([
      { artifactRef: 'analysis/diagnosis/0001/', review: 1 },
    ]);
    expect(c.case.ended).toMatchObject({ type: 'CaseDiagnosed' });
  });

  it.each([
    ['none', { hypothesisId: null }, 'INCONCLUSIVE'],
    ['another hypothesis', { hypothesisId: H2 }, 'OTHER_HYPOTHESIS'],
    [
      'a lower rating',
      {
        ratings: [
          { hypothesisId: H1, confidence: 'supported', text: '' },
          { hypothesisId: H2, confidence: 'contradicted', text: '' },
        ],
      },
      'INSUFFICIENT_CONFIDENCE',
    ],
    ['no direct evidence', { directEvidence: [] }, 'NO_DIRECT_EVIDENCE'],
    ['evidence of no call', { directEvidence: [{ toolCallId: 'tc-9-9', quote: 'x' }] }, 'NO_DIRECT_EVIDENCE'],
    [
      'no countercheck',
      { countercheck: { adequate: false, toolCallIds: [], text: 'none' } },
      'COUNTERCHECK_INADEQUATE',
    ],
    [
      'a countercheck without evidence',
      { countercheck: { adequate: true, toolCallIds: ['tc-9-9'], text: '' } },
      'COUNTERCHECK_INADEQUATE',
    ],
    [
      'an open contradiction',
      { contradictions: [{ text: 'but', toolCallIds: [], material: true, resolved: false }] },
      'UNRESOLVED_CONTRADICTION',
    ],
  ] as const)('declines over %s at once, without a second pass', (_, over, reason) => {
    const c = building().evaluate(evaluated(1, over as never));
    expect(c.of('EarlyDiagnosisDeclined')).toMatchObject([{ review: 1, hypothesisId: 'h1', reason }]);
    expect(c.case.phase).toBe('INVESTIGATING_HYPOTHESES');
    expect(ofStep(c, 'review')).toEqual([]);
  });

  it.each([
    [
      'a contradiction that is resolved',
      { contradictions: [{ text: 'b', toolCallIds: [], material: true, resolved: true }] },
    ],
    [
      'one that is not material',
      { contradictions: [{ text: 'b', toolCallIds: [], material: false, resolved: false }] },
    ],
  ] as const)('%s does not decline', (_, over) => {
    const c = building()
      .evaluate(evaluated(1, over as never))
      .evaluate(evaluated(2));
    expect(c.of('EarlyReviewAccepted')).toHaveLength(1);
  });

  it('declines when the second order does not accept', () => {
    const c = building()
      .evaluate(evaluated(1))
      .evaluate(evaluated(2, { hypothesisId: null }));
    expect(c.of('EarlyDiagnosisDeclined')).toMatchObject([{ reason: 'INCONCLUSIVE' }]);
  });

  it.each([
    ['INVALID_RESPONSE', 'INVALID_RESPONSES'],
    ['TRANSPORT', 'EVALUATOR_UNAVAILABLE'],
  ] as const)('E9 declines after %s in every attempt', (failure, reason) => {
    const c = building()
      .evaluate(failed(failure) as never)
      .evaluate(failed(failure) as never);
    expect(c.of('EarlyDiagnosisDeclined')).toMatchObject([{ reason }]);
  });

  it('E10 counts invalid answers under the review’s own name', () => {
    const c = building().evaluate(failed('INVALID_RESPONSE') as never);
    expect(c.of('InvalidResponseRecorded').at(-1)).toMatchObject({
      namespace: 'analysis/diagnosis/0001/early/0001/',
      step: 'd0001-e0001-p1-a1',
    });
    expect(ofStep(c, 'review')).toMatchObject([{ step: 'd0001-e0001-p1-a2' }]);
  });

  it('is declined when the final diagnosis does not pass both guards, and nothing of it is released', () => {
    const c = building().evaluate(evaluated(1)).evaluate(evaluated(2));
    c.final()
      .prove(rejected)
      .final('refine')
      .prove({ ...(rejected as object), revision: 2 } as never);
    expect(c.of('EarlyDiagnosisDeclined')).toMatchObject([{ reason: 'FINAL_VALIDATION_FAILED' }]);
    expect(c.of('DiagnosisCompleted')).toEqual([]);
    expect(c.case.phase).toBe('INVESTIGATING_HYPOTHESES');
  });

  it('never repairs twice', () => {
    const c = building()
      .evaluate(evaluated(1))
      .evaluate(evaluated(2))
      .final()
      .prove(rejected)
      .final('refine');
    c.prove({ ...(rejected as object), revision: 2 } as never);
    expect(c.events.filter((e) => e.type === 'CaseStepRequested' && e.kind === 'refine')).toHaveLength(1);
  });
});

describe('E9 the way back', () => {
  const declined = () =>
    new CaseUnderTest()
      .untilEvidence()
      .untilRequest()
      .evaluate(evaluated(1, { hypothesisId: null }));

  it('keeps balances, findings, evidence and the revision', () => {
    const before = new CaseUnderTest().untilEvidence().untilRequest();
    const [accounts, findings, actions] = [before.case.hypotheses, before.case.findings, before.case.actions];
    before.evaluate(evaluated(1, { hypothesisId: null }));
    expect(before.case.hypotheses.map(({ hadTurn: _, ...h }) => h)).toEqual(
      accounts.map(({ hadTurn: _, ...h }) => h),
    );
    expect(before.case.findings).toEqual(findings);
    expect(before.case.actions).toEqual(actions);
    expect(before.case.opened.revision).toBe(1);
  });

  it('E13 asks for content that was not there; a fresh id on known content does not do', () => {
    const c = declined();
    c.turn(turn(research()));
    const known = c.case.actions[0]?.contentHash ?? '';
    const low = turn({ kind: 'assess' }, { confidence: 'contradicted' });
    c.act({ contentHash: known });
    c.turn(low);
    c.untilRequest();
    expect(c.of('InvalidResponseRecorded').at(-1)).toMatchObject({ why: 'NEXT_NOT_PERMITTED' });
    c.turn(turn(research())).act().turn(low).untilRequest();
    expect(c.of('EarlyDiagnosisRequested')).toHaveLength(2);
    expect(ofStep(c, 'review')).toMatchObject([{ step: 'd0002-e0002-p1-a1' }]);
  });

  it('E12 the limit ends early requests and nothing else; an old policy means three', () => {
    const c = new CaseUnderTest({ policy: { maxEarlyReviews: 1 } }).untilEvidence().untilRequest();
    c.evaluate(evaluated(1, { hypothesisId: null }));
    c.turn(turn(research()))
      .act()
      .turn(turn({ kind: 'assess' }, { confidence: 'contradicted' }));
    c.untilRequest();
    expect(c.of('InvalidResponseRecorded').at(-1)).toMatchObject({ why: 'NEXT_NOT_PERMITTED' });
    const old = new CaseUnderTest({ policy: { maxEarlyReviews: undefined } }).untilEvidence().untilRequest();
    expect(old.case.reviews).toHaveLength(1);
  });
});

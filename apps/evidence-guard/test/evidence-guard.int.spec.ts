import { sha256 } from '@inquest/contracts/canonical-json';
import { cancelRequested } from '@inquest/contracts/inbound-facts';
import { runDecision } from '@inquest/contracts/run-decision';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { messageOf } from '@inquest/event-log/message';
import { ANSWER, DRAFT } from './drafted-run';
import { GuardStack, LINK_HOST } from './guard-stack';

describe('evidence-guard on the real log', () => {
  let stack: GuardStack;
  beforeAll(async () => void (stack = await GuardStack.start()));
  afterAll(() => stack.stop());

  it('accepts a sound draft and freezes what is released', async () => {
    const run = await (await stack.newRun().calls()).drafted();
    const result = await run.judged();
    expect(result).toMatchObject({ kind: 'ACCEPTED', revision: 1, items: 6, ruleSet: 'evidence-2' });
    const text = await run.snapshotText(result);
    expect(result).toMatchObject({ snapshotHash: sha256(text), snapshot: { sha256: sha256(text) } });
    const snapshot = Snapshot.parse(JSON.parse(text));
    expect(snapshot.report).toBe(JSON.stringify(DRAFT));
    expect(snapshot.evidence.map(({ toolCallId }) => toolCallId)).toEqual([
      'call_logs',
      'call_none',
      'call_failed',
    ]);
  });

  it('H1 judges a case’s draft by the same rules, and tells what it concludes and nothing else of it', async () => {
    const asked = { draftService: 'investigator', draftStep: 't2-final0-a1' };
    const ofCase = await (await stack.newRun().calls()).finalDraft(DRAFT);
    expect(await ofCase.judged(asked)).toMatchObject({
      kind: 'ACCEPTED',
      conclusionStatus: DRAFT.conclusion.status,
      items: 6,
    });
    const open = structuredClone(DRAFT);
    open.conclusion.status = 'INCONCLUSIVE';
    open.candidates = [];
    const without = await (await stack.newRun().calls()).finalDraft(open);
    expect(await without.judged(asked)).toMatchObject({ kind: 'ACCEPTED', conclusionStatus: 'INCONCLUSIVE' });
    const bad = await (await stack.newRun().calls()).finalDraft({ ...DRAFT, limitations: [] });
    expect(await bad.judged(asked)).toMatchObject({ kind: 'REJECTED' });
    // A run's facts stay as they were.
    const ofRun = await (await stack.newRun().calls()).drafted();
    expect(await ofRun.judged()).not.toHaveProperty('conclusionStatus');
    // A draft is read where the request says that it is, and nowhere else.
    const elsewhere = await (await stack.newRun().calls()).drafted();
    expect(await elsewhere.judged({ ...asked, draftStep: 't2-model0-a1' })).toEqual({
      kind: 'FAILED',
      failure: 'FACT_MISSING',
    });
  });

  it('names the accepted sources without filter texts', async () => {
    const run = await (await stack.newRun().calls()).drafted();
    const window = { from: '2026-03-02T10:00:00Z', to: '2026-03-02T11:00:00Z' };
    expect(await run.judged()).toMatchObject({
      verifiedSources: [
        { toolCallId: 'call_logs', tool: 'search_logs', service: 'checkout', window },
        { toolCallId: 'call_none', tool: 'search_logs', service: 'payments', window },
      ],
    });
  });

  it('rejects a draft with every violation', async () => {
    const run = await (
      await stack.newRun().calls()
    ).drafted((d) => {
      d.conclusion.text = 'There were 17 errors.';
      d.limitations = [];
    });
    const result = await run.judged();
    expect(result.kind === 'REJECTED' && result.violations.map(({ ruleId }) => ruleId)).toEqual([
      '10 ORPHAN_TEXT',
      '28 PROSE_NUMBER',
      '46 MISSING_LIMITATION',
    ]);
  });

  it('lets a report link to the configured hosts only, and tells them with either verdict', async () => {
    const linking = async (host: string) => {
      const calls = await stack.newRun().calls();
      const run = await calls.drafted((d) => void (d.actionPlan[0]!.text = `See https://${host}/pool`));
      return run.judged();
    };
    expect(await linking(LINK_HOST)).toMatchObject({ kind: 'ACCEPTED', linkHosts: [LINK_HOST] });
    expect(await linking('evil.example')).toMatchObject({
      kind: 'REJECTED',
      violations: [{ ruleId: '37 UNSAFE_TEXT' }],
      linkHosts: [LINK_HOST],
    });
  });

  it('H5 accepts an answer on the single lookup, and rejects an unknown document', async () => {
    const sound = await (await stack.newRun().lookup()).draft(ANSWER);
    expect(await sound.judged({ intent: 'KNOWLEDGE_QUERY' })).toMatchObject({ kind: 'ACCEPTED', items: 1 });
    const unknown = await (
      await stack.newRun().lookup()
    ).draft({ items: [{ ...ANSWER.items[0], documentIds: ['rb-other#x'] }] });
    expect(await unknown.judged({ intent: 'KNOWLEDGE_QUERY' })).toMatchObject({
      kind: 'REJECTED',
      violations: [{ ruleId: '39 RAG_DOC_ID' }],
    });
  });

  it('judges the repair against the draft that it repairs', async () => {
    const run = await (await stack.newRun().calls()).draft({ ...DRAFT, limitations: [] });
    const first = await run.judged();
    if (first.kind !== 'REJECTED') throw new Error(first.kind);
    const repair = {
      revision: 2,
      previousDraftStep: 't2-model0-a1',
      draftStep: 't4-repair0-a1',
      repairOf: first.violations,
    };
    await run.draft(DRAFT, 't4-repair0-a1');
    expect(await run.judged(repair, 't5-evidence0-a1')).toMatchObject({ kind: 'ACCEPTED', revision: 2 });
  });

  it('writes the same bytes when the request is delivered again', async () => {
    const first = await (await stack.newRun().calls()).drafted();
    const before = await first.judged();
    let subject = '';
    await stack.restartGuard(async () => {
      subject = await first.ask({}, 't3-evidence0-a2');
    });
    const after = await first.verdict(subject);
    expect({ ...after, ms: 0 }).toEqual({ ...before, ms: 0 });
    expect(await first.snapshotText(after)).toBe(await first.snapshotText(before));
  });

  it('keeps a large snapshot in the object store', async () => {
    const run = await (await stack.newRun().calls({ padding: 'x'.repeat(200_000) })).drafted();
    const result = await run.judged();
    expect(result).toMatchObject({
      kind: 'ACCEPTED',
      snapshot: { blob: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    expect(sha256(await run.snapshotText(result))).toBe(result.kind === 'ACCEPTED' && result.snapshotHash);
  });

  it('H3 rejects beyond repair when a projection was changed after its digest', async () => {
    const run = await (
      await stack.newRun().calls({ tamper: (text) => text.replace('25 of 25', '25 of 99') })
    ).drafted();
    const result = await run.judged();
    const [violation] = result.kind === 'REJECTED' ? result.violations : [];
    expect(violation).toMatchObject({
      ruleId: '8 LEDGER_INTEGRITY',
      toolCallId: 'call_logs',
      repairable: false,
    });
  });

  describe('never releases what it could not read', () => {
    it('fails when the fact of a call is missing', async () => {
      const run = await (await stack.newRun().calls()).drafted();
      run.name({
        toolCallId: 'call_gone',
        tool: 'search_logs',
        service: 'tool',
        step: 't1-tool9-a1',
        status: 'READY',
      });
      expect(await run.judged()).toEqual({ kind: 'FAILED', failure: 'FACT_MISSING' });
    });

    it('fails when the draft is missing', async () => {
      const run = await stack.newRun().calls();
      expect(await run.judged()).toEqual({ kind: 'FAILED', failure: 'FACT_MISSING' });
    });

    it('fails when a fact is another call’s', async () => {
      const run = await (await stack.newRun().calls()).drafted();
      run.name({
        toolCallId: 'call_other',
        tool: 'search_logs',
        service: 'tool',
        step: 't1-tool0-a1',
        status: 'READY',
      });
      expect(await run.judged()).toEqual({ kind: 'FAILED', failure: 'PAYLOAD_UNUSABLE' });
    });

    it('fails under a rule set that it does not run', async () => {
      const run = await (await stack.newRun().calls()).drafted();
      expect(await run.judged({ ruleSet: 'evidence-9' })).toEqual({
        kind: 'FAILED',
        failure: 'RULE_SET_UNKNOWN',
      });
    });

    it('fails past the deadline', async () => {
      const run = await (await stack.newRun().calls()).drafted();
      expect(await run.judged({ deadlineAt: '2026-03-02T11:05:00Z' })).toEqual({
        kind: 'FAILED',
        failure: 'TIMEOUT',
      });
    });
  });

  it('H8 does not start on a cancelled run', async () => {
    const run = await (await stack.newRun().calls()).drafted();
    const subject = run.subjects.in('cancel');
    const frame = { subject, type: cancelRequested.type, source: 'test', time: new Date().toISOString() };
    await stack.writers.gateway.putIfAbsent(
      subject,
      messageOf(frame, { cause: 'PERSON', principal: 'acme/alice', requestedAt: frame.time }),
    );
    expect(await run.judged()).toEqual({ kind: 'FAILED', failure: 'NOT_STARTED' });
  });

  it('H8 does not start on a run that has ended', async () => {
    const run = await (await stack.newRun().calls()).drafted();
    const subject = run.subjects.chain;
    const frame = {
      subject,
      type: runDecision.type,
      source: 'test',
      time: new Date().toISOString(),
      chainIndex: 0,
    };
    const ended = {
      type: 'RunFailed',
      reason: 'DEADLINE_EXCEEDED',
      intent: null,
      coverage: [],
      modelCalls: 1,
      toolCalls: 1,
      tokens: 0,
    };
    const decision = runDecision.schema.parse({
      n: 0,
      prevSeq: 0,
      took: [],
      at: frame.time,
      events: [ended],
    });
    await stack.writers.harness.append(subject, messageOf(frame, decision), 0);
    expect(await run.judged()).toEqual({ kind: 'FAILED', failure: 'NOT_STARTED' });
  });
});

import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { runSubjects } from '@inquest/contracts/subjects';
import { loggedRun } from '../test/a-logged-run';
import { BAD_TEXT, DRAFT_TEXT, RUN } from '../test/evidence-and-drafts';
import type { LogFact, RunMaterial } from './log-fact';
import { bundleText, makeBundle, type NotBundleable } from './make-bundle';
import { verifyBundle } from './verify-bundle';

const SUBJECTS = runSubjects(RUN, 4);

const changed = (material: RunMaterial, change: (fact: LogFact) => LogFact | null): RunMaterial => ({
  ...material,
  facts: material.facts.flatMap((fact) => change(fact) ?? []),
});
const isFact = (fact: LogFact, tail: string): boolean => fact.subject.endsWith(tail);

describe('A bundle', () => {
  it('holds the released bytes, the ledger, the draft, the verdicts and every decision', () => {
    const bundle = makeBundle(loggedRun());
    expect(bundle.report).toBe(DRAFT_TEXT);
    expect(bundle.manifest).toMatchObject({
      runId: RUN,
      outcome: 'SUCCESS',
      reportHash: sha256(DRAFT_TEXT),
      snapshotHash: sha256(bundle.snapshot ?? ''),
      missing: [],
    });
    expect(bundle.ledger.map(({ kind }) => kind)).toEqual(['RESULT', 'RESULT', 'RESULT']);
    expect(bundle.drafts).toHaveLength(1);
    expect(bundle.evidence.map(({ data }) => data.kind)).toEqual(['ACCEPTED']);
    expect(bundle.semantic.map(({ data }) => data.kind)).toEqual(['JUDGED']);
    expect(bundle.excerpt.map(({ seq }) => seq)).toEqual(loggedRun().facts.map(({ seq }) => seq));
  });

  it('never holds the opaque state of a provider', () => {
    expect(bundleText(makeBundle(loggedRun()))).not.toContain('opaque secret');
  });

  it('of a run that fell back holds its rejected drafts, and no report', () => {
    const bundle = makeBundle(loggedRun('REJECTED_TWICE'));
    expect(bundle).toMatchObject({ report: null, snapshot: null });
    const texts = bundle.drafts.map(({ data }) => (data.kind === 'DRAFT' ? data.draft.inline : ''));
    expect(texts).toEqual([BAD_TEXT, BAD_TEXT]);
  });

  it('of a run that the judge stopped holds the snapshot, which was released to nobody', () => {
    const bundle = makeBundle(loggedRun('UNSUPPORTED'));
    expect(bundle.report).toBeNull();
    expect(bundle.snapshot).not.toBeNull();
    expect(bundle.manifest).toMatchObject({ outcome: 'FALLBACK', reportHash: null });
  });

  it('holds texts that facts only name', () => {
    const material = loggedRun();
    const texts = new Map<string, string>();
    const lifted = changed(material, (fact) => {
      const data = fact.data as { projection?: { inline?: string }; snapshot?: { inline?: string } };
      const payload = data.projection ?? data.snapshot;
      if (payload?.inline === undefined) return fact;
      const { inline, ...named } = payload as { inline: string; sha256: string };
      texts.set(named.sha256, inline);
      const blob = { ...named, blob: sha256(`salt${named.sha256}`) };
      const body = data.projection ? { ...data, projection: blob } : { ...data, snapshot: blob };
      return { ...fact, data: body, dataHash: hashOf(body) };
    });
    const bundle = makeBundle({ ...lifted, texts });
    expect(bundle.report).toBe(DRAFT_TEXT);
    // The snapshot is a part of its own already.
    expect(Object.keys(bundle.texts)).toHaveLength(texts.size - 1);
    expect(verifyBundle(bundleText(bundle)).checks.filter(({ holds }) => holds === false)).toEqual([]);
  });

  it('carries the hash of a result that came too late, and not its content', () => {
    const step = 't1-tool1-a1';
    const late = changed(loggedRun(), (fact) => {
      const data = structuredClone(fact.data) as { events?: { type: string; step?: string }[] };
      const at = data.events?.findIndex(
        (event) => event.type === 'ToolInvocationCompleted' && event.step === step,
      );
      if (data.events === undefined || at === undefined || at < 0) return fact;
      data.events[at] = {
        type: 'LateResultDiscarded',
        service: 'tool',
        step,
        hash: 'a'.repeat(64),
        usage: null,
      } as { type: string };
      return { ...fact, data, dataHash: hashOf(data) };
    });
    const bundle = makeBundle(late);
    expect(bundle.excerpt.find(({ subject }) => subject.endsWith(step))).toMatchObject({
      body: 'DISCARDED',
      data: null,
    });
    expect(bundle.ledger[1]).toMatchObject({ kind: 'NO_RESULT', toolCallId: 'call_objects' });
    expect(bundleText(bundle)).not.toContain('payments-7');
  });

  it('says what neither log nor archive holds, and is checked as far as it goes', () => {
    const forgotten = changed(loggedRun(), (fact) => {
      if (isFact(fact, '.in.request') || isFact(fact, '.run')) return { ...fact, from: 'ARCHIVE' };
      return isFact(fact, 'res.tool.t1-tool0-a1')
        ? { ...fact, from: 'ARCHIVE' }
        : { ...fact, from: 'ARCHIVE', data: undefined, headers: { 'ce-type': fact.headers['ce-type'] } };
    });
    const whole = makeBundle(loggedRun());
    const bundle = makeBundle({ ...forgotten, archived: { report: whole.report, snapshot: whole.snapshot } });
    expect(bundle.manifest.missing).toEqual([
      'res.agent.t1-model0-a1',
      'res.agent.t2-model0-a1',
      'res.evidence.t2-evidence0-a1',
      'res.router.t0-router0-a1',
      'res.semantic.t2-semantic0-a1',
      'res.tool.t1-tool1-a1',
      'res.tool.t1-tool2-a1',
    ]);
    const { checks, holds } = verifyBundle(bundleText(bundle));
    expect(checks.filter((check) => check.holds === false)).toEqual([]);
    expect(holds).toBe(true);
    expect(checks.filter((check) => check.holds === null).map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'Nothing of the run is missing',
        'The SemanticGuard found every item of these bytes supported',
        'The EvidenceGuard, run again here, passes the report',
      ]),
    );
  });

  it.each<[NotBundleable['why'], (fact: LogFact) => LogFact | null]>([
    ['NOT_ENDED', (fact) => (JSON.stringify(fact.data).includes('RunReleased') ? null : fact)],
    ['CHAIN_INCOMPLETE', (fact) => (JSON.stringify(fact.data).includes('RunStarted') ? null : fact)],
    [
      'UNREADABLE',
      (fact) => (isFact(fact, 'res.tool.t1-tool0-a1') ? { ...fact, data: { nonsense: true } } : fact),
    ],
  ])('is not made of a run that is %s', (why, change) => {
    expect(() => makeBundle(changed(loggedRun(), change))).toThrow(
      expect.objectContaining({ name: 'NotBundleable', why }) as Error,
    );
  });

  it('leaves out what is no fact of a run', () => {
    const material = loggedRun();
    const stray = { ...material.facts[0]!, seq: 9_999, subject: `${SUBJECTS.chain}.odd` };
    const request = { ...material.facts[0]!, seq: 9_998, subject: SUBJECTS.req('tool', 't1-tool0-a1') };
    expect(bundleText(makeBundle({ ...material, facts: [stray, request, ...material.facts] }))).toBe(
      bundleText(makeBundle(material)),
    );
  });
});

import { z } from 'zod';
import { agentRequested } from '@inquest/contracts/agent-facts';
import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { DiagnosisDraft } from '@inquest/contracts/draft';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import { SafeFallback } from '@inquest/contracts/outcome';
import { safeFallback } from '@inquest/contracts/safe-texts';
import { DRAFT, type DraftedRun } from './drafted-run';
import { GuardStack } from './guard-stack';

// What each consumer of `res.evidence` relies on, in its own words, against what the guard really writes.

const Hex = z.string().regex(/^[0-9a-f]{64}$/);

describe('contract of evidence-guard', () => {
  let stack: GuardStack;
  let run: DraftedRun;
  let accepted: Extract<EvidenceResult, { kind: 'ACCEPTED' }>;
  let rejected: Extract<EvidenceResult, { kind: 'REJECTED' }>;

  beforeAll(async () => {
    stack = await GuardStack.start();
    run = await (await stack.newRun().calls()).drafted();
    const yes = await run.judged();
    const bad = await (await stack.newRun().calls()).drafted((d) => (d.limitations = []));
    const no = await bad.judged();
    if (yes.kind !== 'ACCEPTED' || no.kind !== 'REJECTED') throw new Error(`${yes.kind}, ${no.kind}`);
    [accepted, rejected] = [yes, no];
  });
  afterAll(() => stack.stop());

  describe('with harness-orchestrator', () => {
    const Ledger = z.object({
      revision: z.literal(1),
      snapshotHash: Hex,
      reportHash: Hex,
      items: z.number().int().positive(),
      verifiedSources: z.array(z.object({ toolCallId: z.string(), tool: z.string() })).min(1),
    });

    it('tells what an accepted draft is released as', () => {
      expect(() => Ledger.parse(accepted)).not.toThrow();
    });

    it('gives sources that a fallback can show as they are', () => {
      const fallback = safeFallback({
        type: 'SEMANTIC_UNSUPPORTED',
        runId: run.runId,
        locale: 'en',
        verifiedSources: accepted.verifiedSources,
      });
      expect(SafeFallback.parse(fallback).verifiedSources).toEqual(accepted.verifiedSources);
    });

    it('says of every violation whether a repair can help', () => {
      expect(rejected.violations.map(({ repairable }) => repairable)).toEqual([true]);
    });

    it('fails in words that map to an ending', async () => {
      const absent = await stack.newRun().calls();
      expect(await absent.judged()).toEqual({ kind: 'FAILED', failure: 'FACT_MISSING' });
    });
  });

  describe('with agent-runner, which repairs', () => {
    it('gives violations that fit the request for a repair, with places and ids and no values', () => {
      const repair = {
        draftStep: 't2-model0-a1',
        violations: rejected.violations,
        validToolCallIds: ['call_logs'],
      };
      expect(agentRequested.schema.shape.repair.parse(repair)?.violations).toEqual(rejected.violations);
      expect(rejected.violations).toMatchObject([
        { ruleId: '46 MISSING_LIMITATION', path: '/limitations', toolCallId: 'call_failed' },
      ]);
    });
  });

  describe('with semantic-guard', () => {
    const Item = z.object({
      id: z.string().min(1),
      section: z.string(),
      kind: z.string().nullable(),
      text: z.string().min(1),
      scope: z.unknown(),
      citations: z.array(z.string()),
      analysisIds: z.array(z.string()),
    });
    const Judged = z.object({
      question: z.string(),
      items: z.array(Item),
      evidence: z.array(z.object({ toolCallId: z.string(), sha256: Hex, projection: z.string().min(8) })),
    });
    const judged = async () => Judged.parse(JSON.parse(await run.snapshotText(accepted)));

    it('names bytes that have the hash', async () => {
      expect(sha256(await run.snapshotText(accepted))).toBe(accepted.snapshotHash);
    });

    it('lets every item be judged once, on evidence that is there', async () => {
      const { items, evidence } = await judged();
      const shown = new Map(evidence.map((e) => [e.toolCallId, e]));
      const byId = new Map(items.map((item) => [item.id, item]));
      expect(byId.size).toBe(accepted.items);
      for (const item of items) {
        const sources =
          item.citations.length > 0
            ? item.citations
            : item.analysisIds.flatMap((id) => byId.get(id)?.citations ?? []);
        expect(sources.length).toBeGreaterThan(0);
        for (const id of sources) expect(shown.has(id)).toBe(true);
      }
      for (const { projection, sha256: digest } of evidence) expect(sha256(projection)).toBe(digest);
    });

    it('gives a negative the scope whose hash the judge echoes', async () => {
      const negative = (await judged()).items.find(({ kind }) => kind === 'NEGATIVE_OBSERVATION');
      expect(hashOf(negative?.scope)).toBe(hashOf(DRAFT.analyses[1]?.scope));
    });
  });

  describe('with whoever shows the report', () => {
    it('holds the draft byte for byte under its own hash', async () => {
      const { report } = z.object({ report: z.string() }).parse(JSON.parse(await run.snapshotText(accepted)));
      expect(report).toBe(JSON.stringify(DRAFT));
      expect(sha256(report)).toBe(accepted.reportHash);
      expect(() => DiagnosisDraft.parse(JSON.parse(report))).not.toThrow();
    });
  });
});

import { z } from 'zod';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { KnowledgeAnswer } from '@inquest/contracts/draft';
import { EvidenceStatus, type LedgerEntry } from '@inquest/contracts/ledger';
import { parseSubject } from '@inquest/contracts/subjects';
import { KnowledgeStack } from './knowledge-stack';

/**
 * What the consumers of `res.rag` rely on, from their side, against what the service really wrote. Names of fields that
 * nobody here reads are free to change.
 */
describe('res.rag', () => {
  let stack: KnowledgeStack;
  let results: Record<'found' | 'cut' | 'empty' | 'refused', LedgerEntry>;

  beforeAll(async () => {
    stack = await KnowledgeStack.start();
    const query = 'Pods keep restarting with CrashLoopBackOff';
    results = {
      found: await stack.lookup(stack.newRun(), { query }),
      cut: await stack.lookup(stack.newRun(), { query }, { projectionBytesMax: 4_000 }),
      empty: await stack.lookup(stack.newRun(), { query: 'the capital of France' }),
      refused: await stack.lookup(stack.newRun(), { query: 7 }),
    };
  });
  afterAll(() => stack.stop());
  const all = () => Object.entries(results);

  describe('as the harness-orchestrator reads it', () => {
    it('tells by status, evidence status and error class how the invocation ended', () => {
      const completion = z.object({
        status: z.enum(['READY', 'ERROR']),
        evidenceStatus: EvidenceStatus,
        errorClass: z.string().nullable(),
        truncated: z.boolean(),
      });
      expect(all().map(([name, entry]) => [name, ...Object.values(completion.parse(entry))])).toEqual([
        ['found', 'READY', 'EVIDENCE_FOUND', null, false],
        ['cut', 'READY', 'EVIDENCE_FOUND', null, true],
        // Ends a KNOWLEDGE_QUERY in the constant not-found answer.
        ['empty', 'READY', 'NO_EVIDENCE', null, false],
        ['refused', 'ERROR', 'ERROR', 'BAD_ARGUMENTS', false],
      ]);
    });

    it('stands under the step that was requested', async () => {
      const runId = stack.newRun();
      const message = await stack.stored(await stack.ask(runId, { query: 'deadlock' }));
      expect(parseSubject(message.subject)).toMatchObject({
        runId,
        family: 'res',
        service: 'rag',
        step: 't1-tool0-a1',
      });
    });
  });

  describe('as the agent-runner reads it for its transcript', () => {
    it('carries the projection inline, as the bytes of its digest', () => {
      for (const [name, { projection }] of all()) {
        const { inline = '' } = projection;
        expect({ name, sha256: sha256(inline), bytes: Buffer.byteLength(inline) }).toEqual({
          name,
          sha256: projection.sha256,
          bytes: projection.bytes,
        });
      }
    });

    it('has every member of a tool message’s meta', () => {
      const meta = z.object({
        toolCallId: z.literal('call_1_0'),
        tool: z.literal('knowledge_lookup'),
        scope: z.object({ filter: z.string().optional() }),
        window: z.null(),
        dataSpan: z.null(),
        matched: z.number().nullable(),
        returned: z.number(),
        limitHit: z.boolean(),
        sampled: z.literal(false),
        partial: z.literal(false),
        selectorKnown: z.null(),
      });
      for (const [, entry] of all()) expect(() => meta.parse(entry)).not.toThrow();
    });

    it('shows a model documents with id, title, version and text, and the totals', () => {
      const shown = z.object({
        tool: z.literal('knowledge_lookup'),
        query: z.string(),
        matched: z.number(),
        returned: z.number(),
        truncated: z.boolean(),
        documents: z.array(
          z.object({ id: z.string(), title: z.string(), version: z.string(), text: z.string().min(1) }),
        ),
      });
      for (const name of ['found', 'cut', 'empty'] as const) {
        const { inline = '' } = results[name].projection;
        const projection = shown.parse(JSON.parse(inline));
        expect(projection.documents).toHaveLength(projection.returned);
        expect(inline).toBe(canonicalJson(JSON.parse(inline)));
      }
    });
  });

  describe('as the evidence-guard reads it for rules 8 and 38 to 41', () => {
    type Document = { id: string; version: string; text: string };
    const rendered = ({ projection }: LedgerEntry) =>
      (JSON.parse(projection.inline ?? '') as { documents?: Document[] }).documents ?? [];

    it('H5 records exactly the rendered documents, each under the version that it shows', () => {
      for (const name of ['found', 'cut', 'empty'] as const) {
        expect(results[name].documents).toEqual(
          rendered(results[name]).map(({ id, version }) => ({ id, versionHash: version })),
        );
      }
      expect(results.cut.documents?.length).toBeLessThan(results.found.documents?.length ?? 0);
    });

    it('H5 uses ids that an answer can cite', () => {
      const documentIds = results.found.documents?.map(({ id }) => id) ?? [];
      const item = {
        id: 'k1',
        text: 'Read the log of the previous run.',
        toolCallId: results.found.toolCallId,
        documentIds,
      };
      expect(() => KnowledgeAnswer.parse({ items: [item] })).not.toThrow();
    });

    it('keeps the text of a document free of marks across which no quote may reach', () => {
      for (const { text } of rendered(results.cut)) expect(text).not.toMatch(/\[(REDACTED|TRUNCATED)/);
    });

    it('says which text others may have written', () => {
      expect(results.found.untrustedPaths).toEqual(expect.arrayContaining(['/documents/*/text', '/query']));
    });
  });
});

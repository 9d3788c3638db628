import { sha256 } from '@inquest/contracts/canonical-json';
import { ToolCallId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import type { RagRequested } from '@inquest/contracts/tool-facts';
import { createRedactor } from '@inquest/redaction/redactor';
import { SHIPPED_CORPUS } from '../config';
import { readCorpus } from '../corpus/read-corpus';
import { SearchIndex } from '../search/search-index';
import { lookUp, type Lookup } from './lookup';

const redactor = createRedactor('run');
const request = (args: unknown, over: Partial<RagRequested> = {}): RagRequested => ({
  toolCallId: ToolCallId.parse('call_1'),
  providerId: 'call_1',
  tool: 'knowledge_lookup',
  argumentsText: typeof args === 'string' ? args : JSON.stringify(args),
  source: 'shop',
  asOf: '2026-01-01T00:00:00Z',
  projectionBytesMax: 32_768,
  deadlineAt: '2026-01-01T00:00:30Z',
  ...over,
});

describe('A lookup', () => {
  let index: SearchIndex;
  beforeAll(async () => (index = new SearchIndex(await readCorpus(SHIPPED_CORPUS))));

  const look = async (
    args: unknown,
    over: Partial<RagRequested> = {},
    more: Partial<Lookup> = {},
  ): Promise<LedgerEntry> => {
    const lookup = {
      search: (query: string, limit: number) => index.search(query, limit),
      redactor,
      signal: new AbortController().signal,
    };
    return LedgerEntry.parse(await lookUp(request(args, over), { ...lookup, ...more }));
  };
  const shown = ({ projection }: LedgerEntry) =>
    JSON.parse(projection.inline ?? '') as { documents: { id: string; version: string; text: string }[] };

  it('finds passages and records what they are', async () => {
    const entry = await look({ query: 'connection pool exhausted' });
    expect(entry).toMatchObject({
      tool: 'knowledge_lookup',
      toolset: 'knowledge',
      arguments: { query: 'connection pool exhausted' },
      source: null,
      status: 'READY',
      evidenceStatus: 'EVIDENCE_FOUND',
      errorClass: null,
      scope: { filter: 'query=connection pool exhausted' },
      window: null,
      returned: 5,
      truncated: false,
      untrustedPaths: ['/query', '/documents/*/title', '/documents/*/text'],
    });
    expect(entry.projection.sha256).toBe(sha256(entry.projection.inline ?? ''));
    expect(entry.projection.bytes).toBe(Buffer.byteLength(entry.projection.inline ?? ''));
  });

  it('says that its limit was hit', async () => {
    expect(await look({ query: 'connection pool exhausted', limit: 1 })).toMatchObject({
      returned: 1,
      limitHit: true,
      truncated: false,
    });
  });

  describe('H5 exact document ids', () => {
    it('lists each rendered document with the hash of its section, and no other', async () => {
      const entry = await look({ query: 'How do I end idle in transaction sessions?', limit: 3 });
      const documents = shown(entry).documents;
      expect(documents).toHaveLength(3);
      expect(entry.documents).toEqual(documents.map(({ id, text }) => ({ id, versionHash: sha256(text) })));
      expect(documents.map(({ id }) => id)).toContain('rb-postgres-pool-exhaustion#immediate-relief');
    });

    it('lists what the budget left, not what was retrieved', async () => {
      const [whole, cut] = [
        await look({ query: 'CrashLoopBackOff' }),
        await look({ query: 'CrashLoopBackOff' }, { projectionBytesMax: 3_000 }),
      ];
      expect(cut.documents?.length).toBeLessThan(whole.documents?.length ?? 0);
      expect(cut.documents).toEqual(
        shown(cut).documents.map(({ id, version }) => ({ id, versionHash: version })),
      );
      expect(cut).toMatchObject({ truncated: true, matched: whole.matched, returned: cut.documents?.length });
      expect(cut.projection.bytes).toBeLessThanOrEqual(3_000);
    });
  });

  describe('H3 status and evidence status', () => {
    const HIT = { query: 'ImagePullBackOff' };
    it.each<[string, unknown, Partial<RagRequested>, Partial<LedgerEntry>]>([
      ['something found', HIT, {}, { status: 'READY', evidenceStatus: 'EVIDENCE_FOUND', errorClass: null }],
      [
        'nothing found',
        { query: 'sourdough bread' },
        {},
        {
          status: 'READY',
          evidenceStatus: 'NO_EVIDENCE',
          errorClass: null,
          matched: 0,
          returned: 0,
          documents: [],
        },
      ],
      [
        'another tool',
        HIT,
        { tool: 'search_logs' },
        { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'UNKNOWN_TOOL' },
      ],
      [
        'no JSON',
        '{"query":"pool"',
        {},
        { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'BAD_ARGUMENTS', arguments: null },
      ],
      ['no query', {}, {}, { errorClass: 'BAD_ARGUMENTS' }],
      ['an empty query', { query: '   ' }, {}, { errorClass: 'BAD_ARGUMENTS' }],
      ['an endless query', { query: 'x'.repeat(501) }, {}, { errorClass: 'BAD_ARGUMENTS' }],
      ['an unknown argument', { query: 'pool', path: '/etc/passwd' }, {}, { errorClass: 'BAD_ARGUMENTS' }],
      ['a limit of none', { query: 'pool', limit: 0 }, {}, { errorClass: 'BAD_ARGUMENTS' }],
      ['a limit without bound', { query: 'pool', limit: 1e9 }, {}, { errorClass: 'BAD_ARGUMENTS' }],
    ])('%s', async (_, args, over, expected) => {
      expect(await look(args, over)).toMatchObject(expected);
    });

    it('found, and no room for any of it: neither nothing known, nor anything to cite', async () => {
      const long = (query: string, limit: number) => {
        const { matched, passages } = index.search(query, limit);
        return { matched, passages: passages.map((passage) => ({ ...passage, text: 'x'.repeat(5_000) })) };
      };
      const entry = await look(HIT, { projectionBytesMax: 4_000 }, { search: long });
      expect(entry).toMatchObject({
        status: 'READY',
        evidenceStatus: 'ERROR',
        errorClass: 'RESULT_UNUSABLE',
        returned: 0,
      });
      expect(entry.documents).toBeUndefined();
    });

    it('a cancelled run', async () => {
      expect(await look(HIT, {}, { signal: AbortSignal.abort() })).toMatchObject({
        status: 'ERROR',
        errorClass: 'CANCELLED',
      });
    });

    it('a broken index, whose words stay in the log of the service', async () => {
      const failures: unknown[] = [];
      const search = () => {
        throw new Error('secret of the index');
      };
      const entry = await look(HIT, {}, { search, onFailure: ({ cause }) => failures.push(cause) });
      expect(entry).toMatchObject({ status: 'READY', evidenceStatus: 'ERROR', errorClass: 'SOURCE_FAILED' });
      expect(entry.projection.inline).not.toContain('secret of the index');
      expect(String(failures[0])).toContain('secret of the index');
    });
  });

  it('keeps a secret in the question out of projection and scope', async () => {
    const entry = await look({ query: 'sorry, too many clients already, with password=hunter2secret' });
    expect(`${entry.projection.inline}${JSON.stringify(entry.scope)}`).not.toContain('hunter2secret');
    expect(entry.evidenceStatus).toBe('EVIDENCE_FOUND');
  });
});

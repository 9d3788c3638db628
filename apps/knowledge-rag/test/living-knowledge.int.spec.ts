import { createServer, type Server } from 'node:http';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LivingKnowledge } from '../src/documents/living-knowledge';
import { readFolder, type KnownFiles } from '../src/documents/read-folder';
import { embeddingsEndpoint } from '../src/search/embeddings';
import { fileCache } from '../src/search/vector-cache';

const signal = new AbortController().signal;

/** The smallest whole PDF with a line of text on each page. */
const pdf = (pages: readonly string[]): Buffer => {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, i) => {
      const stream = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  return Buffer.from(
    `${body}${xref}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  );
};

describe('a folder of documents', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-knowledge-'));
    mkdirSync(join(dir, 'docs/deep'), { recursive: true });
    writeFileSync(
      join(dir, 'docs/resolver.md'),
      '# Resolver\n## Zephyr cache\nFlush the zephyr cache of the resolver.\n',
    );
    writeFileSync(
      join(dir, 'docs/deep/page.html'),
      '<h1>Ledger</h1><h2>Quokka backlog</h2><p>Drain the quokka backlog.</p>',
    );
    writeFileSync(
      join(dir, 'plan.pdf'),
      pdf(['Restart the narwhal gateway', 'Second page of the narwhal plan']),
    );
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is read whole: Markdown, HTML and PDF, with ids by path and heading', async () => {
    const { documents, skipped } = await readFolder('ops', dir);
    expect(skipped).toEqual([]);
    expect(documents.flatMap(({ passages }) => passages.map(({ id }) => id))).toEqual([
      'ops-docs-deep-page#quokka-backlog',
      'ops-docs-resolver#zephyr-cache',
      'ops-plan#page-1',
      'ops-plan#page-2',
    ]);
    expect(documents[2]?.passages[0]?.text).toBe('Restart the narwhal gateway');
  });

  it('names what it leaves out, and follows nothing out of itself', async () => {
    writeFileSync(join(dir, 'broken.pdf'), '%PDF-1.4 not really');
    writeFileSync(join(dir, 'latin.md'), Buffer.from([0x23, 0x20, 0xff, 0xfe]));
    writeFileSync(join(dir, 'empty.md'), '\n');
    writeFileSync(join(dir, 'huge.md'), 'x'.repeat(3 * 1024 * 1024));
    writeFileSync(join(dir, 'image.png'), 'png');
    mkdirSync(join(dir, '.git'));
    writeFileSync(join(dir, '.git/description.md'), '# no');
    symlinkSync('/etc', join(dir, 'etc'));
    symlinkSync('/etc/hostname', join(dir, 'hostname.md'));
    symlinkSync(dir, join(dir, 'around'));
    const { documents, skipped } = await readFolder('ops', dir);
    expect(documents).toHaveLength(3);
    expect(skipped).toEqual([
      { path: 'broken.pdf', why: 'it cannot be read as a PDF' },
      { path: 'empty.md', why: 'it holds no text' },
      { path: 'huge.md', why: expect.stringContaining('bytes, more than') as string },
      { path: 'latin.md', why: 'it is not UTF-8' },
    ]);
  });

  it('is read once: a second look reads only what has changed', async () => {
    const known: KnownFiles = new Map();
    const first = await readFolder('ops', dir, known);
    writeFileSync(join(dir, 'docs/resolver.md'), '# Resolver\n## Zephyr cache\nOnce more.\n');
    rmSync(join(dir, 'docs/deep/page.html'));
    const second = await readFolder('ops', dir, known);
    const of = ({ documents }: typeof first, id: string) => documents.find((document) => document.id === id);
    expect(of(second, 'ops-plan')).toBe(of(first, 'ops-plan'));
    expect(of(second, 'ops-docs-resolver')).not.toBe(of(first, 'ops-docs-resolver'));
    expect(of(second, 'ops-docs-resolver')?.passages[0]?.text).toBe('Once more.');
    expect([...known.keys()]).toEqual(['docs/resolver.md', 'plan.pdf']);
  });

  it('that is not there is refused', async () => {
    await expect(readFolder('ops', join(dir, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });
});

describe('knowledge that lives', () => {
  let dir: string;
  let list: string;
  let logged: unknown[][];
  const write = (name: string, text: string) => writeFileSync(join(dir, 'ops', name), text);
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-knowledge-'));
    mkdirSync(join(dir, 'ops'));
    list = join(dir, 'knowledge.json');
    writeFileSync(list, JSON.stringify({ ops: join(dir, 'ops') }));
    logged = [];
    write('zephyr.md', '# Zephyr\n## Zephyr cache\nFlush the zephyr cache.\n');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const logger = {
    info: (...args: unknown[]) => void logged.push(args),
    warn: (...args: unknown[]) => void logged.push(args),
  };
  const found = async (knowledge: LivingKnowledge, query: string) => {
    const { passages, partial } = await knowledge.search(query, 5, signal);
    return { ids: passages.map(({ id }) => id), partial };
  };

  it('takes in what is added, forgets what is deleted, and shows the new version of what is changed', async () => {
    const knowledge = new LivingKnowledge({ runbooks: [], listFile: list, logger });
    await knowledge.refresh();
    expect((await found(knowledge, 'flush the zephyr cache')).ids).toEqual(['ops-zephyr#zephyr-cache']);
    const [before] = (await knowledge.search('zephyr cache', 1, signal)).passages;

    write('zephyr.md', '# Zephyr\n## Zephyr cache\nNever flush the zephyr cache.\n');
    write('quokka.md', '# Quokka\n## Quokka backlog\nDrain the quokka backlog.\n');
    await knowledge.refresh();
    const [after] = (await knowledge.search('zephyr cache', 1, signal)).passages;
    expect(after?.id).toBe(before?.id);
    expect(after?.versionHash).not.toBe(before?.versionHash);
    expect((await found(knowledge, 'quokka backlog')).ids).toEqual(['ops-quokka#quokka-backlog']);

    rmSync(join(dir, 'ops/zephyr.md'));
    await knowledge.refresh();
    expect((await found(knowledge, 'flush the zephyr cache')).ids).toEqual([]);
    writeFileSync(list, '{}');
    await knowledge.refresh();
    expect((await found(knowledge, 'quokka backlog')).ids).toEqual([]);
  });

  it('takes the first of two documents of one id, names the other, and goes on', async () => {
    mkdirSync(join(dir, 'ops-zephyr'));
    write('zephyr-tuning.md', '# Tuning\n## Zephyr tuning\nTurn the zephyr knob.\n');
    writeFileSync(join(dir, 'ops-zephyr/tuning.md'), '# Other\n## Narwhal gateway\nRestart the narwhal.\n');
    writeFileSync(list, JSON.stringify({ ops: join(dir, 'ops'), 'ops-zephyr': join(dir, 'ops-zephyr') }));
    const knowledge = new LivingKnowledge({ runbooks: [], listFile: list, logger });
    await knowledge.refresh();
    expect((await found(knowledge, 'zephyr tuning knob')).ids[0]).toBe('ops-zephyr-tuning#zephyr-tuning');
    expect((await found(knowledge, 'narwhal gateway')).ids).toEqual([]);
    expect(JSON.stringify(logged)).toContain('is that of another document');
  });

  it('keeps what a folder held while it is away, and goes on with a list that is broken', async () => {
    const knowledge = new LivingKnowledge({ runbooks: [], listFile: list, logger });
    await knowledge.refresh();
    renameSync(join(dir, 'ops'), join(dir, 'away'));
    await knowledge.refresh();
    expect((await found(knowledge, 'zephyr cache')).ids).toEqual(['ops-zephyr#zephyr-cache']);
    expect(JSON.stringify(logged)).toContain('a folder of knowledge cannot be read');
    writeFileSync(list, 'no json');
    await knowledge.refresh();
    expect((await found(knowledge, 'zephyr cache')).ids).toEqual(['ops-zephyr#zephyr-cache']);
  });

  describe('with a dense arm', () => {
    let server: Server;
    let requests: { input: string[] }[];
    let broken = false;
    const AXES: [RegExp, number][] = [
      [/zephyr|resolver|name/i, 0],
      [/quokka|queue/i, 1],
    ];
    /** Meaning by a few words: texts that share one point the same way. */
    const vectorOf = (text: string): number[] => {
      const vector = [0.01, 0.01, 0.01];
      for (const [pattern, axis] of AXES) if (pattern.test(text)) vector[axis] = 1;
      return vector;
    };
    beforeEach(async () => {
      requests = [];
      broken = false;
      server = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const asked = JSON.parse(body) as { input: string[] };
          requests.push(asked);
          if (broken) return void response.writeHead(500).end('{}');
          response.setHeader('content-type', 'application/json');
          // Out of order, as the protocol allows.
          const data = asked.input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse();
          response.end(JSON.stringify({ data }));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });
    const living = async () =>
      new LivingKnowledge({
        runbooks: [],
        listFile: list,
        logger,
        dense: {
          embed: embeddingsEndpoint({
            baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
            apiKey: 'k',
            model: 'm',
          }),
          cache: await fileCache(join(dir, 'vectors'), 'm'),
          cosineMin: 0.9,
        },
      });

    it('finds by meaning what no word finds, and embeds each text once, also over a restart', async () => {
      write('quokka.md', '# Quokka\n## Quokka backlog\nDrain it.\n');
      const knowledge = await living();
      await knowledge.refresh();
      await knowledge.settled();
      expect(await found(knowledge, 'why do names not get looked up by the resolver')).toEqual({
        ids: ['ops-zephyr#zephyr-cache'],
        partial: false,
      });
      expect((await found(knowledge, 'something else entirely')).ids).toEqual([]);
      const embedded = requests.filter(({ input }) => input.some((text) => text.includes('Drain it'))).length;
      const again = await living();
      await again.refresh();
      await again.settled();
      expect(requests.filter(({ input }) => input.some((text) => text.includes('Drain it')))).toHaveLength(
        embedded,
      );
      expect((await found(again, 'queue')).ids).toEqual(['ops-quokka#quokka-backlog']);
    });

    it('answers by words alone, and says so, while the endpoint fails; meaning comes back with it', async () => {
      broken = true;
      const knowledge = await living();
      await knowledge.refresh();
      await knowledge.settled();
      expect(await found(knowledge, 'flush the zephyr cache')).toEqual({
        ids: ['ops-zephyr#zephyr-cache'],
        partial: true,
      });
      expect(await found(knowledge, 'the resolver')).toEqual({ ids: [], partial: true });
      const before = requests.length;
      await found(knowledge, 'the resolver');
      expect(requests.length - before).toBeLessThanOrEqual(1);
      broken = false;
      await knowledge.refresh();
      await knowledge.settled();
      expect(await found(knowledge, 'the resolver')).toEqual({
        ids: ['ops-zephyr#zephyr-cache'],
        partial: false,
      });
    });
  });
});

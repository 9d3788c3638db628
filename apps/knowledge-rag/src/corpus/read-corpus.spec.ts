import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@inquest/redaction/redactor';
import { SHIPPED_CORPUS } from '../config';
import { CorpusInvalid, FILE_BYTES_MAX } from './corpus';
import { readCorpus } from './read-corpus';

const runbook = (id: string): string => `---\nid: ${id}\ntitle: T\ntags: t\n---\n## Symptoms\nx\n`;

describe('A knowledge folder', () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'inquest-knowledge-'))));
  afterEach(() => rmSync(dir, { recursive: true }));
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(dir, name), content);
  const issues = async (): Promise<readonly string[]> => {
    const error = await readCorpus(dir).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CorpusInvalid)) throw new Error(`no CorpusInvalid but ${String(error)}`);
    return error.issues;
  };

  it('is read in order of its file names, its README and other files aside', async () => {
    write('b.md', runbook('rb-b'));
    write('a.md', runbook('rb-a'));
    write('README.md', 'How to write runbooks');
    write('.draft.md', 'not yet');
    write('notes.txt', 'x');
    expect((await readCorpus(dir)).map(({ id }) => id)).toEqual(['rb-a', 'rb-b']);
  });

  it('is refused whole, with the name and the fault of every broken file', async () => {
    write('a.md', runbook('rb-a'));
    write('b.md', runbook('rb-a'));
    write('c.md', 'no front matter');
    write('d.md', new Uint8Array([0x2d, 0xff, 0xfe]));
    write('e.md', `${runbook('rb-e')}${' '.repeat(FILE_BYTES_MAX)}`);
    expect(await issues()).toEqual([
      'b.md: its id rb-a is that of a.md already',
      'c.md: it does not begin with front matter between two lines of ---',
      'd.md: it is not UTF-8',
      expect.stringMatching(/^e\.md: it has \d+ bytes, more than/),
    ]);
  });

  it('is refused with a file that cannot be read', async () => {
    symlinkSync(join(dir, 'gone'), join(dir, 'a.md'));
    expect(await issues()).toEqual(['a.md: it cannot be read (ENOENT)']);
  });

  it('is refused when it holds no runbook', async () => {
    expect(await issues()).toEqual(['there is no *.md file in it']);
  });

  it('is refused when it is not there', async () => {
    await expect(readCorpus(join(dir, 'nowhere'))).rejects.toThrow(/nowhere: it cannot be read \(ENOENT\)/);
  });
});

describe('The shipped runbooks', () => {
  const SECTIONS = ['symptoms', 'how-to-confirm', 'immediate-relief', 'lasting-remedy', 'what-it-is-not'];
  const RUNBOOKS = [
    'rb-autoscaler-does-not-scale',
    'rb-cache-stampede',
    'rb-clock-skew',
    'rb-config-drift-wrong-environment',
    'rb-cpu-throttling',
    'rb-deployment-regression-rollback',
    'rb-disk-full',
    'rb-dns-resolution-failure',
    'rb-http-upstream-saturation',
    'rb-image-pull-backoff',
    'rb-ingress-gateway-errors',
    'rb-memory-leak-slow-death',
    'rb-nats-jetstream-lag-storage',
    'rb-network-policy-blocks-traffic',
    'rb-node-not-ready',
    'rb-pod-crashloop-oomkilled',
    'rb-pod-pending',
    'rb-postgres-lock-pileup',
    'rb-postgres-pool-exhaustion',
    'rb-queue-backlog-consumers-stuck',
    'rb-rate-limited-by-provider',
    'rb-replication-lag-stale-reads',
    'rb-secret-rotation-broke-access',
    'rb-service-without-endpoints',
    'rb-tls-certificate-expired',
  ];

  it('have these ids, which released answers cite', async () => {
    const ids = (await readCorpus(SHIPPED_CORPUS)).flatMap(({ passages }) => passages.map(({ id }) => id));
    expect(ids).toEqual(RUNBOOKS.flatMap((id) => SECTIONS.map((section) => `${id}#${section}`)));
  });

  it('hold nothing that redaction takes for a secret, and no link that a released answer could not show', async () => {
    const redactor = createRedactor('any');
    for (const { passages } of await readCorpus(SHIPPED_CORPUS)) {
      for (const { id, title, text } of passages) {
        expect({ id, redacted: redactor.redactText(`${title}\n${text}`).count }).toEqual({ id, redacted: 0 });
        expect({ id, link: /https?:|\]\(/.exec(text)?.[0] }).toEqual({ id, link: undefined });
      }
    }
  });

  it('render five passages of any one runbook within the usual projection', async () => {
    for (const { id, passages } of await readCorpus(SHIPPED_CORPUS)) {
      const bytes = passages.reduce((sum, { text }) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
      expect({ id, fits: bytes < 16 * 1024 }).toEqual({ id, fits: true });
    }
  });
});

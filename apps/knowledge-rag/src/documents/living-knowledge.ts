import { hashOf } from '@inquest/contracts/canonical-json';
import type { Logger } from '@inquest/service-shell/logger';
import type { Runbook } from '../corpus/runbook';
import { DenseIndex } from '../search/dense-index';
import type { Embed } from '../search/embeddings';
import { KnowledgeBase, type KnowledgeHits } from '../search/knowledge-base';
import type { VectorCache } from '../search/vector-cache';
import { readFolderList } from './folder-list';
import { readFolder, type FolderRead, type KnownFiles } from './read-folder';

export type LivingKnowledgeOptions = {
  /** Always there: a start without it is refused. */
  runbooks: readonly Runbook[];
  /** The file that names further folders. */
  listFile: string | undefined;
  logger: Pick<Logger, 'info' | 'warn'>;
  dense?: { embed: Embed; cache: VectorCache; cosineMin: number };
};

const EMBEDDING_MS = 600_000;
const LEFT_OUT_TOLD_MAX = 20;

type LeftOut = { folder: string } & FolderRead['skipped'][number];

/**
 * The runbooks and the listed folders as they are now. Each refresh reads the folders anew and replaces what can be
 * looked up as a whole; a folder that cannot be read keeps what it last held, since "gone" and "away" look alike from
 * here. Reports stay checkable all the same: they keep the passages that they cite, by hash.
 */
export class LivingKnowledge {
  private base: KnowledgeBase;
  private version = '';
  private readonly held = new Map<string, Runbook[]>();
  /** By folder as it is listed: a name that means another folder now knows nothing of it. */
  private readonly known = new Map<string, KnownFiles>();
  private told = '';
  private refreshing: Promise<void> | undefined;
  private embedding: Promise<void> = Promise.resolve();

  constructor(private readonly options: LivingKnowledgeOptions) {
    this.base = new KnowledgeBase(options.runbooks, options.dense ? null : undefined);
  }

  get size(): number {
    return this.base.size;
  }

  search(query: string, limit: number, signal: AbortSignal): Promise<KnowledgeHits> {
    return this.base.search(query, limit, signal);
  }

  /** One at a time; a call during one waits for it. Never rejects: what fails is logged, and the old state stays. */
  refresh(): Promise<void> {
    this.refreshing ??= this.readAnew()
      .catch((error: unknown) =>
        this.options.logger.warn('knowledge could not be read anew', { why: (error as Error).message }),
      )
      .finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async readAnew(): Promise<void> {
    const { runbooks, listFile, logger } = this.options;
    const folders = await readFolderList(listFile);
    for (const name of this.held.keys()) if (!(name in folders)) this.held.delete(name);
    const listed = new Set(Object.entries(folders).map(([name, dir]) => `${name} ${dir}`));
    for (const key of this.known.keys()) if (!listed.has(key)) this.known.delete(key);
    const leftOut: LeftOut[] = [];
    for (const [name, dir] of Object.entries(folders)) {
      try {
        const known: KnownFiles = this.known.get(`${name} ${dir}`) ?? new Map();
        this.known.set(`${name} ${dir}`, known);
        const { documents, skipped } = await readFolder(name, dir, known);
        leftOut.push(...skipped.map(({ path, why }) => ({ folder: name, path, why })));
        this.held.set(name, documents);
      } catch (error) {
        logger.warn('a folder of knowledge cannot be read', { folder: name, why: (error as Error).message });
      }
    }
    const all = [...runbooks];
    const taken = new Set(runbooks.map(({ id }) => id));
    for (const [folder, documents] of this.held) {
      for (const document of documents) {
        const why = `its id ${document.id} is that of another document`;
        if (taken.has(document.id)) leftOut.push({ folder, path: document.title, why });
        else all.push(document);
        taken.add(document.id);
      }
    }
    this.tell(leftOut);
    const version = hashOf(
      all.flatMap(({ passages }) => passages.map(({ id, versionHash }) => [id, versionHash])),
    );
    if (version === this.version && this.base.size > 0) return;
    // Words serve at once; meaning joins when its vectors are there.
    this.base = new KnowledgeBase(all, this.options.dense ? null : undefined);
    this.version = version;
    logger.info('knowledge is read', { documents: all.length, passages: this.base.size });
    this.embedding = this.embed(all, version);
  }

  /** What is left out is told once, and again when it changes: not with every look. */
  private tell(leftOut: readonly LeftOut[]): void {
    const told = hashOf(leftOut as LeftOut[]);
    if (told === this.told) return;
    this.told = told;
    if (leftOut.length > 0)
      this.options.logger.warn('documents are left out', {
        count: leftOut.length,
        first: leftOut.slice(0, LEFT_OUT_TOLD_MAX),
      });
  }

  /** Resolves when the passages of the last change are embedded, or could not be. */
  async settled(): Promise<void> {
    await this.refreshing;
    await this.embedding;
  }

  /** An endpoint that fails leaves the lexical arm alone, which says so; the next refresh tries again. */
  private async embed(runbooks: readonly Runbook[], version: string): Promise<void> {
    const { dense, logger } = this.options;
    if (!dense) return;
    const passages = runbooks.flatMap((runbook) => runbook.passages);
    try {
      const { embed, cache, cosineMin } = dense;
      const index = await DenseIndex.build(passages, embed, cache, AbortSignal.timeout(EMBEDDING_MS));
      if (this.version === version) this.base = new KnowledgeBase(runbooks, { index, embed, cosineMin });
    } catch (error) {
      logger.warn('passages could not be embedded', { why: (error as Error).name });
      if (this.version === version) this.version = '';
    }
  }
}

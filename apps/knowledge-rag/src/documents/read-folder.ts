import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Runbook } from '../corpus/runbook';
import { readHtml } from './html-document';
import { readMarkdown } from './markdown-document';
import { PdfUnreadable, readPdf } from './pdf-document';
import { documentId, documentOf, type ReadDocument } from './sections';

export const FILES_MAX = 5_000;
const DEPTH_MAX = 16;
const TEXT_BYTES_MAX = 2 * 1024 * 1024;
const PDF_BYTES_MAX = 32 * 1024 * 1024;

const KINDS: Readonly<Record<string, 'markdown' | 'html' | 'pdf'>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.pdf': 'pdf',
};

export type FolderRead = {
  documents: Runbook[];
  /** Files that look like documents and are none that can be taken, with a reason for the person. */
  skipped: { path: string; why: string }[];
};

/** The folder itself cannot be read, or holds more than a folder of documents does. */
export class FolderUnusable extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'FolderUnusable';
  }
}

const nameOf = (entry: Dirent): string => entry.name;

/** Paths of all documents below a folder, in order. Links are not followed: they lead out of it, or around in it. */
const documentsBelow = async (dir: string, at = '', depth = 0): Promise<string[]> => {
  if (depth > DEPTH_MAX) return [];
  const entries = await readdir(join(dir, at), { withFileTypes: true }).catch((error: unknown) => {
    if (at === '')
      throw new FolderUnusable(`it cannot be read (${String((error as NodeJS.ErrnoException).code)})`, error);
    return [];
  });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`;
    // `.git`, `.obsidian`: what a tool keeps for itself.
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) found.push(...(await documentsBelow(dir, path, depth + 1)));
    else if (entry.isFile() && extname(entry.name).toLowerCase() in KINDS) found.push(path);
    if (found.length > FILES_MAX) throw new FolderUnusable(`it has more than ${FILES_MAX} documents`);
  }
  return found;
};

class Skipped extends Error {}

const bytesAt = async (path: string, bytesMax: number): Promise<Buffer> => {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > bytesMax) throw new Skipped(`it has ${size} bytes, more than ${bytesMax}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
};

const utf8 = (bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Skipped('it is not UTF-8');
  }
};

const readDocument = async (path: string, fallbackTitle: string): Promise<ReadDocument> => {
  const kind = KINDS[extname(path).toLowerCase()];
  if (kind === 'pdf') return readPdf(await bytesAt(path, PDF_BYTES_MAX), fallbackTitle);
  const text = utf8(await bytesAt(path, TEXT_BYTES_MAX));
  return kind === 'html' ? readHtml(text, fallbackTitle) : readMarkdown(text, fallbackTitle);
};

/** What a file held when it was last read, by path; it is read again when its size or its time has changed. */
export type KnownFiles = Map<string, { stamp: string; read: { document: Runbook } | { why: string } }>;

const stampOf = async (path: string): Promise<string> => {
  const { size, mtimeMs, ino } = await stat(path);
  return `${size} ${mtimeMs} ${ino}`;
};

const readAt = async (
  dir: string,
  path: string,
  id: string,
): Promise<{ document: Runbook } | { why: string }> => {
  try {
    const document = documentOf(id, await readDocument(join(dir, path), path));
    return document.passages.length === 0 ? { why: 'it holds no text' } : { document };
  } catch (error) {
    if (error instanceof Skipped || error instanceof PdfUnreadable) return { why: error.message };
    return { why: `it cannot be read (${String((error as NodeJS.ErrnoException).code ?? 'unknown')})` };
  }
};

/**
 * Every Markdown, HTML and PDF document below a folder (a git checkout is one). A document that cannot be taken is left
 * out and named: such folders are not written for us, and one scanned page must not hide a thousand others.
 * `known` is brought up to date: with it, only what has changed is read.
 * Throws {@link FolderUnusable}.
 */
export const readFolder = async (
  name: string,
  dir: string,
  known: KnownFiles = new Map(),
): Promise<FolderRead> => {
  const result: FolderRead = { documents: [], skipped: [] };
  const taken = new Map<string, string>();
  const paths = await documentsBelow(dir);
  const present = new Set(paths);
  for (const path of known.keys()) if (!present.has(path)) known.delete(path);
  for (const path of paths) {
    const id = documentId(name, path);
    const other = taken.get(id);
    if (other !== undefined) {
      result.skipped.push({ path, why: `its id ${id} is that of ${other} already` });
      continue;
    }
    const stamp = await stampOf(join(dir, path)).catch(() => 'gone');
    const before = known.get(path);
    const read = before?.stamp === stamp ? before.read : await readAt(dir, path, id);
    known.set(path, { stamp, read });
    if ('why' in read) {
      result.skipped.push({ path, why: read.why });
      continue;
    }
    taken.set(id, path);
    result.documents.push(read.document);
  }
  return result;
};

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { ReadDocument } from './sections';

export const PDF_PAGES_MAX = 1_000;
const READING_MS = 30_000;
const HEAP_MB = 512;

/** The file is no PDF, is locked, takes too long, or has more pages than anybody looks up. */
export class PdfUnreadable extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'PdfUnreadable';
  }
}

/**
 * Plain JavaScript for a thread of its own: a PDF is a program of a stranger, and one that never ends or eats memory must
 * take nothing with it but that thread.
 */
const READER = `
const { parentPort, workerData } = require('node:worker_threads');
const { extractText, getDocumentProxy, getMeta } = require(workerData.library);
(async () => {
  const document = await getDocumentProxy(new Uint8Array(workerData.bytes));
  if (document.numPages > workerData.pagesMax) return { pages: document.numPages };
  const [{ text }, { info }] = await Promise.all([extractText(document), getMeta(document)]);
  return { text, title: typeof info.Title === 'string' ? info.Title : '' };
})().then((read) => parentPort.postMessage(read), () => parentPort.postMessage({}));
`;

const Read = z.union([
  z.object({ text: z.array(z.string()), title: z.string() }),
  z.object({ pages: z.number() }),
]);

const library = createRequire(__filename).resolve('unpdf');

/** The text of a PDF, a section for each page: what pages say where is all that such a file tells of its structure. */
export const readPdf = async (bytes: Uint8Array, fallbackTitle: string): Promise<ReadDocument> => {
  const thread = new Worker(READER, {
    eval: true,
    workerData: { library, bytes: new Uint8Array(bytes), pagesMax: PDF_PAGES_MAX },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    env: {},
    stdout: true,
    stderr: true,
  });
  try {
    const [message] = (await once(thread, 'message', { signal: AbortSignal.timeout(READING_MS) }).catch(
      (error: unknown) => {
        const late = (error as Error).name === 'AbortError';
        throw new PdfUnreadable(
          late ? `it takes longer than ${READING_MS} ms to read` : 'it cannot be read as a PDF',
        );
      },
    )) as [unknown];
    const read = Read.safeParse(message);
    if (!read.success) throw new PdfUnreadable('it cannot be read as a PDF');
    if ('pages' in read.data)
      throw new PdfUnreadable(`it has ${read.data.pages} pages, more than ${PDF_PAGES_MAX}`);
    const { text, title } = read.data;
    return {
      title: title.trim() === '' ? fallbackTitle : title,
      sections: text.map((page, index) => ({ headings: [`Page ${index + 1}`], text: page })),
    };
  } finally {
    await thread.terminate();
  }
};

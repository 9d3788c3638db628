import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Judgements } from './metrics';

/** The folder is not laid out as a standard retrieval benchmark; the message says what is missing where. */
export class CorpusUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CorpusUnusable';
  }
}

const Id = z.union([z.string(), z.number()]).transform(String);
const CorpusLine = z.object({ _id: Id, title: z.string().default(''), text: z.string() });
const QueryLine = z.object({ _id: Id, text: z.string() });
export type CorpusDocument = z.infer<typeof CorpusLine>;

async function* linesOf(path: string): AsyncGenerator<{ line: string; at: string }> {
  if (!existsSync(path)) throw new CorpusUnusable(`${path} is missing`);
  let n = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    n += 1;
    if (line.trim() !== '') yield { line, at: `${path}:${n}` };
  }
}

const parsed = <Schema extends z.ZodType>(schema: Schema, line: string, at: string): z.output<Schema> => {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw new CorpusUnusable(`${at}: is no such line`);
  }
};

export type StandardCorpus = {
  documents: CorpusDocument[];
  /** Those with at least one relevant document. */
  queries: { id: string; text: string; judgements: Judgements }[];
};

/** `corpus.jsonl`, `queries.jsonl` and `qrels/<split>.tsv` (query, document, grade; a head line may stand above). */
export const readStandardCorpus = async (dir: string, split = 'test'): Promise<StandardCorpus> => {
  const documents: CorpusDocument[] = [];
  for await (const { line, at } of linesOf(join(dir, 'corpus.jsonl')))
    documents.push(parsed(CorpusLine, line, at));
  const judged = new Map<string, Map<string, number>>();
  for await (const { line, at } of linesOf(join(dir, 'qrels', `${split}.tsv`))) {
    const [query, document, grade] = line.split(/\t/);
    const value = Number(grade);
    if (query === undefined || document === undefined || !Number.isFinite(value)) {
      if (at.endsWith(':1')) continue;
      throw new CorpusUnusable(`${at}: is no judgement`);
    }
    const known = judged.get(query) ?? new Map<string, number>();
    known.set(document, value);
    judged.set(query, known);
  }
  const queries: StandardCorpus['queries'] = [];
  for await (const { line, at } of linesOf(join(dir, 'queries.jsonl'))) {
    const { _id: id, text } = parsed(QueryLine, line, at);
    const judgements = judged.get(id);
    if (judgements && [...judgements.values()].some((grade) => grade > 0))
      queries.push({ id, text, judgements });
  }
  if (queries.length === 0) throw new CorpusUnusable(`${dir}: no query of it has a relevant document`);
  return { documents, queries };
};

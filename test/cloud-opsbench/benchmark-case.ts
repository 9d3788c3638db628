import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What was really wrong; read by the scoring alone, and by nothing that investigates. */
export type Truth = { object: string; cause: string };
export type BenchmarkCase = {
  /** `<category>/<id>` */
  name: string;
  category: string;
  dir: string;
  namespace: string | null;
  query: string;
  truth: Truth;
};

/** A data set that is not laid out as the benchmark is; the message says which file, and what is wrong. */
export class BenchmarkDataInvalid extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchmarkDataInvalid';
  }
}

const Metadata = z.looseObject({
  namespace: z.string().nullish(),
  query: z.string().min(1),
  result: z.looseObject({ fault_object: z.string().min(1), root_cause: z.string().min(1) }),
});
/** Cause to the kinds of object that it lies in. */
const Vocabulary = z.record(z.string().min(1), z.array(z.string().min(1)).min(1));
export type Vocabulary = z.infer<typeof Vocabulary>;

const read = <T>(schema: z.ZodType<T>, path: string): T => {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new BenchmarkDataInvalid(`${path} is not what the benchmark writes there`, { cause });
  }
};

const caseIn = (data: string, category: string, id: string): BenchmarkCase => {
  const dir = join(data, category, id);
  const { namespace, query, result } = read(Metadata, join(dir, 'metadata.json'));
  return {
    name: `${category}/${id}`,
    category,
    dir,
    namespace: namespace ?? null,
    query,
    truth: { object: result.fault_object, cause: result.root_cause },
  };
};

const folders = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort((a, b) => Number(a) - Number(b) || (a < b ? -1 : 1));

/** Every case below `<data>/<category>/<id>/`, by category and number. */
export const casesIn = (data: string): BenchmarkCase[] => {
  if (!existsSync(data)) throw new BenchmarkDataInvalid(`there is no folder ${data}`);
  const cases = folders(data).flatMap((category) =>
    folders(join(data, category))
      .filter((id) => existsSync(join(data, category, id, 'tool_cache.json')))
      .map((id) => caseIn(data, category, id)),
  );
  if (cases.length === 0)
    throw new BenchmarkDataInvalid(`${data} holds no case: none of <category>/<id>/tool_cache.json is there`);
  return cases;
};

/** The names in a file: one a line (`#` begins a remark), or one JSON array of strings. */
export const namesIn = (path: string): string[] => {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  if (text === undefined) throw new BenchmarkDataInvalid(`there is no file ${path}`);
  if (text.startsWith('[')) return read(z.array(z.string()), path);
  return text
    .split('\n')
    .map((line) => (line.split('#')[0] ?? '').trim())
    .filter((line) => line !== '');
};

/** Those of the names, in the order of the data; a name that is no case is a mistake and not left out in silence. */
export const chosen = (cases: readonly BenchmarkCase[], names: readonly string[]): BenchmarkCase[] => {
  const wanted = new Set(names);
  const found = cases.filter(({ name }) => wanted.has(name));
  const unknown = names.filter((name) => !found.some((item) => item.name === name));
  if (unknown.length > 0)
    throw new BenchmarkDataInvalid(`there is no case ${unknown.slice(0, 5).join(', ')}`);
  return found;
};

/** The closed vocabulary: the named file, or the nearest `vocabulary.json` in or above the data; null where there is none. */
export const vocabularyFor = (data: string, named?: string): Vocabulary | null => {
  if (named !== undefined) return read(Vocabulary, named);
  const near = ['.', '..', '../..'].map((step) => join(data, step, 'vocabulary.json')).find(existsSync);
  return near === undefined ? null : read(Vocabulary, near);
};

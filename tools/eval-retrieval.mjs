// `npm run eval -- retrieval --corpus DIR`: how well knowledge is found, on a corpus in the standard layout (corpus.jsonl,
// queries.jsonl, qrels/<split>.tsv). What runs is the lexical index that lookups use, without the floor under it: the floor
// decides whether there is an answer, a benchmark judges the order.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
require('./require-typescript.cjs');

const USAGE = `npm run eval -- retrieval --corpus DIR [--split test] [--json]
  DIR holds corpus.jsonl, queries.jsonl and qrels/<split>.tsv, e.g. a dataset of BEIR
  example: npm run eval -- retrieval --corpus ~/beir/scifact`;

const refuse = (message) => {
  process.stderr.write(`${message}\n${USAGE}\n`);
  process.exit(2);
};
const parse = () => {
  try {
    return parseArgs({
      args: process.argv.slice(3),
      options: {
        corpus: { type: 'string' },
        split: { type: 'string', default: 'test' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error.message);
  }
};
const options = parse();
if (options.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
if (!options.corpus) refuse('--corpus is missing');
if (!/^[\w-]{1,64}$/.test(options.split)) refuse('--split is no name of a file in qrels/');

const { readStandardCorpus, CorpusUnusable } = require(join(root, 'test/retrieval/standard-corpus.ts'));
const { measureRetrieval } = require(join(root, 'test/retrieval/measure.ts'));

process.stderr.write('reading and indexing ...\n');
const corpus = await readStandardCorpus(options.corpus, options.split).catch((error) => {
  if (!(error instanceof CorpusUnusable)) throw error;
  return refuse(error.message);
});
const figures = measureRetrieval(corpus);
const rounded = (value, digits = 4) => Number(value.toFixed(digits));
process.stderr.write(
  [
    '',
    `  documents       ${figures.documents}`,
    `  queries         ${figures.queries}`,
    `  nDCG@10         ${rounded(figures.ndcgAt10)}`,
    `  recall@100      ${rounded(figures.recallAt100)}`,
    `  indexed in      ${Math.round(figures.indexMs)} ms`,
    `  a query takes   p50 ${rounded(figures.queryMs.p50, 2)} ms, p99 ${rounded(figures.queryMs.p99, 2)} ms`,
    '',
  ].join('\n'),
);
if (options.json)
  process.stdout.write(
    `${JSON.stringify({ ...figures, ndcgAt10: rounded(figures.ndcgAt10), recallAt100: rounded(figures.recallAt100) })}\n`,
  );

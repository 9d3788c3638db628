// `npm run eval -- cloud-opsbench --data DIR`: whole diagnoses of recorded clusters, through the real stack.
//
// What runs: an embedded broker and database, every service as a process, the real tools over the recordings, both guards;
// a question goes in over HTTP and what is released comes out. The truth is read here and by nothing that investigates.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureNatsServer } from './bootstrap.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
require('./require-typescript.cjs');

const USAGE = `npm run eval -- cloud-opsbench --data DIR [options]
  --data DIR         cases in DIR/<category>/<id>/ with metadata.json and tool_cache.json
  --cases FILE       only these: one <category>/<id> a line, or a JSON array
  --limit N          only the first N
  --model NAME       the model of OPENAI_BASE_URL that routes, diagnoses and judges; without it the offline analyst (rules)
  --repeat N         ask each case N times and measure how consistent the answers are (default 1)
  --concurrency N    runs side by side (default 4)
  --timeout S        how long one run may take (default 600)
  --vocabulary FILE  the closed vocabulary; default: the vocabulary.json in or above DIR
  --json             the tables on stderr, and as last line of stdout one JSON object
`;

const stop = (message, code = 2) => {
  process.stderr.write(`${message}\n`);
  process.exit(code);
};

const parse = () => {
  const text = { type: 'string' };
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        data: text,
        cases: text,
        limit: text,
        model: text,
        repeat: text,
        concurrency: text,
        timeout: text,
        vocabulary: text,
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return stop(`${error.message}\n${USAGE}`);
  }
};
const { positionals, values } = parse();
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (positionals.length !== 1) stop(USAGE);
if (values.data === undefined) stop(`--data is missing\n${USAGE}`);

const whole = (name, standard, max) => {
  const value = values[name] === undefined ? standard : Number(values[name]);
  if (!Number.isInteger(value) || value < 1 || value > max)
    stop(`--${name} takes a whole number from 1 to ${max}`);
  return value;
};
const limit = whole('limit', 100_000, 100_000);
const repeat = whole('repeat', 1, 100);
const concurrency = whole('concurrency', 4, 64);
const timeoutS = whole('timeout', 600, 86_400);

const { casesIn, chosen, namesIn, vocabularyFor } = require(
  join(root, 'test/cloud-opsbench/benchmark-case.ts'),
);
const { runCases } = require(join(root, 'test/cloud-opsbench/run-cases.ts'));
const { scoreOf } = require(join(root, 'test/cloud-opsbench/score.ts'));
const { runLine, scoreJson, scoreTable } = require(join(root, 'test/cloud-opsbench/table.ts'));
const { readStackConfig } = require('@inquest/local-stack/config');

const say = (line = '') => (values.json ? process.stderr : process.stdout).write(`${line}\n`);

/** An empty variable counts as not set. What happens to be in the environment must not change what is measured. */
const NO_MODEL = {
  OPENAI_BASE_URL: '',
  OPENAI_API_KEY: '',
  MODEL_ROUTER: '',
  MODEL_AGENT: '',
  MODEL_JUDGE: '',
  JUDGE_BASE_URL: '',
};

const configured = () => {
  const own = { ...process.env, LOG_LEVEL: 'warn' };
  if (values.model === undefined) return readStackConfig({ ...own, ...NO_MODEL });
  if (!process.env.OPENAI_BASE_URL) stop('--model needs OPENAI_BASE_URL, the endpoint that has it');
  const judge = process.env.MODEL_JUDGE || values.model;
  return readStackConfig({
    ...own,
    MODEL_ROUTER: values.model,
    MODEL_AGENT: values.model,
    MODEL_JUDGE: judge,
  });
};

const selected = () => {
  const all = casesIn(values.data);
  return (values.cases === undefined ? all : chosen(all, namesIn(values.cases))).slice(0, limit);
};

const main = async () => {
  const cases = selected();
  const vocabulary = vocabularyFor(values.data, values.vocabulary);
  if (vocabulary === null)
    say('there is no vocabulary.json in or above the data: the questions go without a closed vocabulary');
  const config = configured();
  await ensureNatsServer((line) => process.stderr.write(`${line}\n`));
  const startedAt = performance.now();
  const total = cases.length * repeat;
  let done = 0;
  const runs = await runCases(cases, {
    config,
    vocabulary,
    repeat,
    concurrency,
    runTimeoutMs: timeoutS * 1_000,
    say,
    onRun: (run) => say(`${String((done += 1)).padStart(4)} of ${total}  ${runLine(run)}`),
  });
  const score = scoreOf(runs);
  say();
  for (const line of scoreTable(score, performance.now() - startedAt)) say(line);
  if (values.json) process.stdout.write(`${scoreJson(score, runs)}\n`);
};

try {
  await main();
} catch (error) {
  const isOurs = ['BenchmarkDataInvalid', 'UnusableInput', 'BootstrapError'].includes(error?.name);
  stop(isOurs ? error.message : (error?.stack ?? String(error)), isOurs ? 2 : 1);
}

// `npm run eval -- <evaluation> [options]`: the measurements of judgement, each in a script of its own.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Name to script and what it measures. */
const EVALUATIONS = {
  investigate: [
    'eval-investigate.mjs',
    'the single agent beside investigations and early reviews, in process',
  ],
  retrieval: ['eval-retrieval.mjs', 'how well knowledge is found, on a corpus in the standard layout'],
  'cloud-opsbench': [
    'eval-cloud-opsbench.mjs',
    'whole diagnoses of recorded clusters through every service: A@1, A@3, how they end',
  ],
};

const usage = [
  'npm run eval -- <evaluation> [options]; with --help after its name, the options of one',
  ...Object.entries(EVALUATIONS).map(([name, [, what]]) => `  ${name.padEnd(16)}${what}`),
].join('\n');

const name = process.argv[2];
const evaluation = name !== undefined && Object.hasOwn(EVALUATIONS, name) ? EVALUATIONS[name] : undefined;
if (evaluation) {
  await import(pathToFileURL(join(here, evaluation[0])).href);
} else {
  const isAsked = name === '--help' || name === '-h';
  (isAsked ? process.stdout : process.stderr).write(
    `${isAsked ? '' : `${name === undefined ? 'no evaluation is named' : `there is no evaluation ${name}`}\n`}${usage}\n`,
  );
  process.exitCode = isAsked ? 0 : 2;
}

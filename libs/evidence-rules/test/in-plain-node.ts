import { join } from 'node:path';
import { Worker, type ResourceLimits } from 'node:worker_threads';

/** Under the line of its test. */
export const print = (line: string): void => void process.stdout.write(`    ${line}\n`);

/** Of unsorted values; `share` between 0 and 1. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;

/**
 * Runs a script in a thread of plain Node, where nothing stands between the code and the engine, and answers what it posts.
 * `load` in it reads a module of this library, by its path below it.
 */
export const inPlainNode = async <Answer>(
  script: string,
  resourceLimits: ResourceLimits = {},
): Promise<Answer> => {
  const head = `
    const { parentPort } = require('node:worker_threads');
    require(${JSON.stringify(join(__dirname, '../../../tools/require-typescript.cjs'))});
    const load = (path) => require(require('node:path').join(${JSON.stringify(join(__dirname, '..'))}, path));
  `;
  const worker = new Worker(`${head}${script}`, { eval: true, resourceLimits });
  try {
    return await new Promise<Answer>((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
  } finally {
    await worker.terminate();
  }
};

export type Sampled = { best: number; p99: number; kind: string };

/** `input` is an expression over `largeInput`; answers ms of many validations, the first ones left out. */
export const sampled = async (name: string, input: string): Promise<Sampled> => {
  const { ms, kind } = await inPlainNode<{ ms: number[]; kind: string }>(`
    const { largeInput } = load('test/large.ts');
    const { validateDraft } = load('src/validate-draft.ts');
    const input = ${input};
    const ms = [];
    for (let n = 0; n < 80; n += 1) {
      const startedAt = performance.now();
      validateDraft(input);
      ms.push(performance.now() - startedAt);
    }
    parentPort.postMessage({ ms: ms.slice(20), kind: validateDraft(input).kind });
  `);
  const figures = [0, 0.5, 0.99].map((share) => percentile(ms, share).toFixed(1));
  print(`${name}: best ${figures[0]} ms, p50 ${figures[1]} ms, p99 ${figures[2]} ms`);
  return { best: Math.min(...ms), p99: percentile(ms, 0.99), kind };
};

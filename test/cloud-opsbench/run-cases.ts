import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RunAccepted, RunView } from '@inquest/contracts/run-view';
import type { StackConfig } from '@inquest/local-stack/config';
import { startStack, type Stack } from '@inquest/local-stack/stack';
import type { BenchmarkCase, Vocabulary } from './benchmark-case';
import { questionFor } from './benchmark-question';
import { caseRunOf, type CaseRun } from './score';

const REQUEST_TIMEOUT_MS = 30_000;
const POLL_MS = 100;
/** A stack keeps every recording that it opened: that many, then another stack. */
const CASES_PER_STACK = 100;

export type RunOptions = {
  config: StackConfig;
  vocabulary: Vocabulary | null;
  repeat: number;
  /** Runs that are under way side by side. */
  concurrency: number;
  runTimeoutMs: number;
  onRun: (run: CaseRun) => void;
  say: (line: string) => void;
};

type Asking = { stack: Stack; options: RunOptions; sources: ReadonlyMap<BenchmarkCase, string> };

const request = async ({ stack }: Asking, method: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${stack.gatewayUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${stack.tokens['local-operator'] ?? ''}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
};

/** The run once it has its outcome; null where it has none in time, and is cancelled then. */
const ended = async (asking: Asking, runId: string): Promise<RunView | null> => {
  const path = `/v1/runs/${runId}`;
  const deadline = performance.now() + asking.options.runTimeoutMs;
  for (;;) {
    const view = RunView.parse(await request(asking, 'GET', path));
    if (view.outcome !== null) return view;
    if (performance.now() > deadline) break;
    await pause(POLL_MS);
  }
  await request(asking, 'POST', `${path}/cancel`);
  return null;
};

/** The run's read model after its end. A request that fails is said aloud, and loses its run and no other. */
const answered = async (asking: Asking, item: BenchmarkCase): Promise<RunView | null> => {
  const { options, sources } = asking;
  try {
    const accepted = await request(asking, 'POST', '/v1/runs', {
      question: questionFor(item, options.vocabulary),
      source: sources.get(item),
      detached: true,
    });
    return await ended(asking, RunAccepted.parse(accepted).runId);
  } catch (error) {
    options.say(`${item.name}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
};

const askOnce = async (asking: Asking, item: BenchmarkCase): Promise<CaseRun> => {
  const startedAt = performance.now();
  const view = await answered(asking, item);
  return caseRunOf(item, view, performance.now() - startedAt);
};

/** Each folder under a name and a short path of its own: the data may lie anywhere, and two systems number alike. */
const linked = (cases: readonly BenchmarkCase[], scratch: string): ReadonlyMap<BenchmarkCase, string> =>
  new Map(
    cases.map((item, index) => {
      const name = `case-${index + 1}`;
      symlinkSync(resolve(item.dir), join(scratch, name));
      return [item, name];
    }),
  );

const runBatch = async (cases: readonly BenchmarkCase[], options: RunOptions): Promise<CaseRun[]> => {
  const scratch = mkdtempSync(join(tmpdir(), 'inquest-eval-'));
  // As root, Postgres runs as another user, who has to pass through.
  chmodSync(scratch, 0o755);
  const sources = linked(cases, scratch);
  const incidents = Object.fromEntries([...sources.values()].map((name) => [name, join(scratch, name)]));
  let stack: Stack | undefined;
  try {
    stack = await startStack({ config: options.config, dataDir: join(scratch, 'data'), incidents });
    const asking = { stack, options, sources };
    const waiting = cases.flatMap((item) => Array.from({ length: options.repeat }, () => item));
    const runs: CaseRun[] = [];
    const worker = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
        const run = await askOnce(asking, item);
        runs.push(run);
        options.onRun(run);
      }
    };
    await Promise.all(Array.from({ length: options.concurrency }, worker));
    return runs;
  } finally {
    await stack?.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
};

/**
 * Whole diagnoses over HTTP, through everything that a question passes in production: gateway, broker, orchestrator, runner,
 * both guards, release. Each folder is a source that a request can only name.
 */
export const runCases = async (cases: readonly BenchmarkCase[], options: RunOptions): Promise<CaseRun[]> => {
  const runs: CaseRun[] = [];
  for (let from = 0; from < cases.length; from += CASES_PER_STACK) {
    const batch = cases.slice(from, from + CASES_PER_STACK);
    options.say(`starting every service, for ${batch.length} cases of ${cases.length} ...`);
    runs.push(...(await runBatch(batch, options)));
  }
  return runs;
};

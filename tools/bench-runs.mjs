// `npm run bench [-- --json] [--runs N]`: what a run costs beside the model and the tools, on separate processes, next to
// the floor (nine acknowledged JetStream publishes, one after the other, on a broker of the same binary) in the same run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
const { connect } = require('@nats-io/transport-node');
const { jetstream, jetstreamManager, StorageType } = require('@nats-io/jetstream');
const { startStack } = require('@inquest/local-stack/stack');
const { readStackConfig } = require('@inquest/local-stack/config');
const { startScriptedModel } = require('@inquest/testing/scripted-model');
const { scriptedRun } = require('@inquest/testing/scripted-run');
const { startNats } = require('@inquest/testing/nats-server');
const { parseSubject, PARTITIONS_DEFAULT } = require('@inquest/contracts/subjects');

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) {
  process.stdout.write(
    'npm run bench -- [--runs N (per round at c=64, default 300)] [--rounds N (default 3)] [--json]\n',
  );
  process.exit(0);
}

const say = (line) => process.stderr.write(`${line}\n`);
const RUNS = Number(options.runs);
const ROUNDS = Number(options.rounds);
const FLOOR_PUBLISHES = 9;
const FLOOR_BYTES = 830;

const percentile = (values, p) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
};
const rounded = (value, digits = 2) => Number(value.toFixed(digits));

/** `count` tasks, `width` at a time; durations in ms and the rate over the whole. */
const load = async (count, width, task) => {
  const durations = [];
  let next = 0;
  const startedAt = performance.now();
  const worker = async () => {
    while (next < count) {
      next += 1;
      const at = performance.now();
      await task();
      durations.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return { durations, perSecond: count / ((performance.now() - startedAt) / 1_000) };
};

const TICKS_PER_SECOND = process.platform === 'linux' ? Number(execFileSync('getconf', ['CLK_TCK'])) : 0;

/** CPU time of a process and of its children, in ms, from the operating system; null where it does not tell. */
const cpuMs = (pids) => {
  if (TICKS_PER_SECOND === 0) return null;
  const seen = new Set(pids);
  const children = (pid) => {
    try {
      const tasks = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      return tasks === '' ? [] : tasks.split(' ').map(Number);
    } catch {
      return [];
    }
  };
  for (const pid of seen) for (const child of children(pid)) seen.add(child);
  let ticks = 0;
  for (const pid of seen) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // A backend that ended in between has handed its time to its parent.
    }
  }
  return (ticks * 1_000) / TICKS_PER_SECOND;
};

const machineCpuMs = () =>
  TICKS_PER_SECOND === 0
    ? null
    : (readFileSync('/proc/stat', 'utf8')
        .split('\n')[0]
        .trim()
        .split(/\s+/)
        .slice(1)
        .reduce((sum, field, index) => (index === 3 || index === 4 ? sum : sum + Number(field)), 0) *
        1_000) /
      TICKS_PER_SECOND;

const dataDir = mkdtempSync(join(tmpdir(), 'inquest-bench-'));
// The question alone decides what is asked; three tools over a small, shipped incident answer within a millisecond.
const model = await startScriptedModel(scriptedRun());
const config = readStackConfig({
  ...process.env,
  OPENAI_BASE_URL: model.url,
  OPENAI_API_KEY: 'bench',
  MODEL_AGENT: 'scripted',
  MODEL_ROUTER: 'scripted',
  MODEL_JUDGE: 'scripted-judge',
  LOG_LEVEL: 'warn',
});
say('starting the stack on separate processes ...');
const stack = await startStack({ dataDir, config, cutOver: true });
// A broker of the same binary and storage beside the stack's: its users may write nothing but what Inquest writes.
const floorBroker = await startNats();
let exitCode = 0;
try {
  const nc = await connect({
    servers: stack.natsUrl.replace(/\/\/[^@]*@/, '//'),
    ...credentials(stack.natsUrl),
    inboxPrefix: '_INBOX.operator',
  });
  const ended = new Map();
  const waiting = new Map();
  const tail = await watchEndings(nc, (runId, type) => {
    const resolve = waiting.get(runId);
    if (resolve) {
      waiting.delete(runId);
      resolve(type);
    } else ended.set(runId, type);
  });

  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${stack.tokens['local-operator']}`,
  };
  const body = JSON.stringify({
    question: 'why is checkout failing?',
    source: Object.keys(stack.sources)[0],
    detached: true,
  });
  const outcomes = new Map();
  const run = async () => {
    const response = await fetch(`${stack.gatewayUrl}/v1/runs`, { method: 'POST', headers, body });
    if (response.status !== 201)
      throw new Error(`POST /v1/runs answered ${response.status}: ${await response.text()}`);
    const { runId } = await response.json();
    const type = ended.get(runId) ?? (await new Promise((resolve) => waiting.set(runId, resolve)));
    ended.delete(runId);
    outcomes.set(type, (outcomes.get(type) ?? 0) + 1);
  };

  const floorConnection = await connect({ servers: floorBroker.url });
  const floor = await makeFloor(floorConnection);
  say('warming up ...');
  await load(50, 1, run);
  await load(200, 32, run);
  await load(2_000, 64, floor.nine);
  outcomes.clear();

  const floorC1 = [];
  const floorC64 = [];
  const c1 = [];
  const c64 = [];
  const cpu = [];
  const machineCpu = [];
  const pids = stack
    .processes()
    .map((process) => process.pid)
    .filter(Boolean);
  const byProcess = () =>
    stack.processes().map((process) => ({ name: process.name, ms: process.pid ? cpuMs([process.pid]) : 0 }));
  const perProcess = new Map();
  for (let round = 1; round <= ROUNDS; round += 1) {
    say(`round ${round} of ${ROUNDS} ...`);
    floorC1.push(...(await load(500, 1, floor.nine)).durations);
    c1.push(...(await load(100, 1, run)).durations);
    floorC64.push((await load(5_000, 64, floor.nine)).perSecond);
    const before = cpuMs(pids);
    const beforeEach = byProcess();
    const machineBefore = machineCpuMs();
    c64.push((await load(RUNS, 64, run)).perSecond);
    if (before !== null) cpu.push((cpuMs(pids) - before) / RUNS);
    byProcess().forEach(({ name, ms }, index) => {
      perProcess.set(name, (perProcess.get(name) ?? 0) + (ms - beforeEach[index].ms) / RUNS / ROUNDS);
    });
    if (machineBefore !== null) machineCpu.push((machineCpuMs() - machineBefore) / RUNS);
  }
  tail.stop();

  const result = {
    floor: {
      c1: { p50Ms: rounded(percentile(floorC1, 50)) },
      c64: { runsPerSecond: rounded(percentile(floorC64, 50), 0) },
    },
    c1: { p50Ms: rounded(percentile(c1, 50)), p99Ms: rounded(percentile(c1, 99)) },
    c64: {
      runsPerSecond: rounded(percentile(c64, 50), 1),
      cpuMsPerRun: cpu.length === 0 ? null : rounded(percentile(cpu, 50)),
    },
  };
  const server = nc.info?.version ?? 'unknown';
  const ratio = result.c1.p50Ms / result.floor.c1.p50Ms;
  process.stdout.write(
    [
      '',
      `one run = router + 2 agent turns + 3 parallel tools + evidence guard + judge + seal + end; zero-latency model, in-memory tools`,
      `nats-server ${server}, file storage, acknowledged from the page cache (not fsync); ${cpus().length} cores; Node ${process.version}`,
      '',
      '                                    c=1 p50 ms   c=1 p99 ms   c=64 runs/s   CPU ms/run',
      `floor: ${FLOOR_PUBLISHES} acked publishes of ${FLOOR_BYTES} B  ${cell(result.floor.c1.p50Ms)}${cell('-')}${cell(result.floor.c64.runsPerSecond, 14)}${cell('-')}`,
      `Inquest, ${pids.length} processes               ${cell(result.c1.p50Ms)}${cell(result.c1.p99Ms)}${cell(result.c64.runsPerSecond, 14)}${cell(result.c64.cpuMsPerRun ?? 'n/a')}`,
      '',
      `p50 at c=1 is ${ratio.toFixed(1)} times the floor; CPU of the whole machine, this load generator and the model double included: ${machineCpu.length ? rounded(percentile(machineCpu, 50)) : 'n/a'} ms/run`,
      `CPU by process: ${[...perProcess].map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(' · ')}`,
      `outcomes: ${[...outcomes].map(([type, count]) => `${type} ${count}`).join(', ')}`,
      '',
    ].join('\n'),
  );
  if (outcomes.size !== 1 || !outcomes.has('RunReleased')) {
    say('not every run was released: these figures do not count');
    exitCode = 1;
  }
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  await Promise.all([nc.drain(), floorConnection.drain()]);
} finally {
  await floorBroker.stop();
  await stack.stop();
  await model.close();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(exitCode);

function cell(value, width = 13) {
  return String(value).padStart(width);
}

function credentials(url) {
  const { username, password } = new URL(url);
  return username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

/** Calls back with each run's terminal event as it is appended. */
async function watchEndings(connection, onEnd) {
  const js = jetstream(connection);
  const iterators = [];
  for (let partition = 0; partition < PARTITIONS_DEFAULT; partition += 1) {
    const consumer = await js.consumers.get(`DIAG_${partition}`, {
      filter_subjects: `diag.${partition}.*.run`,
      deliver_policy: 'new',
    });
    const messages = await consumer.consume({ max_messages: 500 });
    iterators.push(messages);
    void (async () => {
      for await (const message of messages) {
        const text = message.string();
        const type = /"type":"(RunReleased|RunFellBack|RunFailed|RunCancelled)"/.exec(text)?.[1];
        if (type) onEnd(parseSubject(message.subject).runId, type);
      }
    })();
  }
  return { stop: () => iterators.forEach((iterator) => iterator.stop()) };
}

/** Nine acknowledged publishes, each after the other, to a file stream. */
async function makeFloor(connection) {
  const jsm = await jetstreamManager(connection);
  await jsm.streams.add({
    name: 'BENCH_FLOOR',
    subjects: ['bench.floor.>'],
    storage: StorageType.File,
    max_bytes: 512 * 1024 * 1024,
    discard: 'old',
  });
  const js = jetstream(connection);
  const payload = new Uint8Array(FLOOR_BYTES).fill(120);
  let serial = 0;
  return {
    nine: async () => {
      const subject = `bench.floor.${(serial += 1)}`;
      for (let n = 0; n < FLOOR_PUBLISHES; n += 1) await js.publish(`${subject}.${n}`, payload);
    },
  };
}

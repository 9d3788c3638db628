import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..');

jest.setTimeout(60_000);

type Linted = { file: string; messages: { ruleId: string | null; message: string }[] };

const BOUNDARY_RULES = ['@nx/enforce-module-boundaries', 'no-restricted-imports', 'no-restricted-syntax'];

const lint = (inputs: { file: string; text?: string }[]): Linted[] => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(__dirname, 'lint-texts.mjs')], {
    cwd: root,
    input: JSON.stringify(inputs),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`eslint did not run: ${stderr}`);
  return JSON.parse(stdout.slice(stdout.indexOf('[{'))) as Linted[];
};

const complaints = ({ file, messages }: Linted) =>
  messages
    .filter(({ ruleId }) => ruleId !== null && BOUNDARY_RULES.includes(ruleId))
    .map(({ ruleId, message }) => `${file}: ${ruleId}: ${message}`);

/** [what is forbidden, where the text stands, the text, what the message must say] */
const FORBIDDEN: [string, string, string, RegExp][] = [
  [
    'H1: the orchestrator importing a model client',
    'apps/harness-orchestrator/src/crossing.ts',
    "import { ModelClient } from '@inquest/model-client/model-client';\nexport const used = ModelClient;",
    /scope:harness-orchestrator.*can only depend on/s,
  ],
  [
    'H1: the orchestrator importing tools',
    'apps/harness-orchestrator/src/crossing.ts',
    "import { tools } from '@inquest/toolsets/tool';\nexport const used = tools;",
    /scope:harness-orchestrator.*can only depend on/s,
  ],
  [
    'H1: the orchestrator importing evidence rules',
    'apps/harness-orchestrator/src/crossing.ts',
    "import { rules } from '@inquest/evidence-rules/rules';\nexport const used = rules;",
    /scope:harness-orchestrator.*can only depend on/s,
  ],
  [
    'an app importing an app by its package name',
    'apps/agent-runner/src/crossing.ts',
    "import { runDecider } from '@inquest/harness-orchestrator/run/run.decider';\nexport const used = runDecider;",
    /Nobody imports an app/,
  ],
  [
    'an app importing an app by a relative path',
    'apps/agent-runner/src/crossing.ts',
    "import { runDecider } from '../../harness-orchestrator/src/run/run.decider';\nexport const used = runDecider;",
    /cannot be imported by a relative/,
  ],
  [
    'the EvidenceGuard importing a model client',
    'apps/evidence-guard/src/crossing.ts',
    "import { ModelClient } from '@inquest/model-client/model-client';\nexport const used = ModelClient;",
    /scope:evidence-guard.*can only depend on/s,
  ],
  [
    'the SemanticGuard importing tools',
    'apps/semantic-guard/src/crossing.ts',
    "import { tools } from '@inquest/toolsets/tool';\nexport const used = tools;",
    /scope:semantic-guard.*can only depend on/s,
  ],
  [
    'a contract importing an adapter',
    'libs/contracts/src/crossing.ts',
    "import { log } from '@inquest/event-log/event-log';\nexport const used = log;",
    /Circular dependency|type:contract.*can only depend on/s,
  ],
  [
    'a kernel importing an adapter',
    'libs/evidence-rules/src/crossing.ts',
    "import { log } from '@inquest/event-log/event-log';\nexport const used = log;",
    /type:kernel.*can only depend on/s,
  ],
  [
    'production code importing test helpers',
    'apps/agent-runner/src/crossing.ts',
    "import { waitFor } from '@inquest/testing/wait-for';\nexport const used = waitFor;",
    /Only spec files and @inquest\/testing/,
  ],
  [
    'a decider importing Nest',
    'apps/harness-orchestrator/src/run/crossing.decider.ts',
    "import { Injectable } from '@nestjs/common';\nexport const used = Injectable;",
    /A pure file imports contracts/,
  ],
  [
    'a decider reading the clock',
    'apps/harness-orchestrator/src/run/crossing.decider.ts',
    'export const used = [Date.now(), new Date()];',
    /A pure file has no clock/,
  ],
  [
    'a rule rolling dice',
    'libs/evidence-rules/src/crossing.rule.ts',
    'export const used = Math.random();',
    /A pure file has no chance/,
  ],
  [
    'a rule reading a file',
    'libs/evidence-rules/src/crossing.rule.ts',
    "import { readFileSync } from 'node:fs';\nexport const used = readFileSync;",
    /A pure file does no I\/O/,
  ],
  [
    'the environment read outside config.ts',
    'apps/agent-runner/src/crossing.ts',
    'export const used = process.env.NATS_URL;',
    /config\.ts only/,
  ],
  [
    'forwardRef',
    'apps/agent-runner/src/crossing.ts',
    "import { forwardRef } from '@nestjs/common';\nexport const used = forwardRef(() => String);",
    /forwardRef hides a cycle/,
  ],
  ['a barrel', 'apps/agent-runner/src/index.ts', "export * from './config';", /makes barrels and cycles/],
];

const ALLOWED: [string, string, string][] = [
  [
    'an app importing a contract',
    'apps/agent-runner/src/fine.ts',
    "import { RunId } from '@inquest/contracts/ids';\nexport const used = RunId;",
  ],
  [
    'a spec importing test helpers',
    'apps/agent-runner/src/fine.spec.ts',
    "import { waitFor } from '@inquest/testing/wait-for';\nexport const used = waitFor;",
  ],
  [
    'the environment read in config.ts',
    'apps/agent-runner/src/config.ts',
    'export const used = process.env.NATS_URL;',
  ],
];

describe('H1 module boundaries (ESLint)', () => {
  let forbidden: Linted[];
  let allowed: Linted[];

  beforeAll(() => {
    const linted = lint([...FORBIDDEN, ...ALLOWED].map(([, file, text]) => ({ file, text })));
    forbidden = linted.slice(0, FORBIDDEN.length);
    allowed = linted.slice(FORBIDDEN.length);
  });

  it.each(FORBIDDEN.map(([what, , , says], index) => ({ what, says, index })))(
    'refuses $what',
    ({ index, says }) => {
      expect(complaints(forbidden[index]!).join('\n')).toMatch(says);
    },
  );

  it.each(ALLOWED.map(([what], index) => ({ what, index })))('allows $what', ({ index }) => {
    expect(complaints(allowed[index]!)).toEqual([]);
  });

  it('holds for every file of the repository', () => {
    const crossings = lint([{ file: '{apps,libs}/*/src/**/*.ts' }])
      .flatMap(complaints)
      .filter((complaint) => !complaint.includes('no-restricted-syntax'));
    expect(crossings).toEqual([]);
  });
});

type Cruised = { summary: { violations: { rule: { name: string }; from: string }[] } };

const cruise = (cwd: string): string[] => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      ...['apps', 'libs', '--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json'],
    ],
    { cwd, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser did not run: ${stderr || stdout}`);
  const { summary } = JSON.parse(stdout) as Cruised;
  return summary.violations.map(({ rule, from }) => `${rule.name} ${from}`);
};

/** A workspace in which every rule is broken exactly where its name says. */
const CROSSINGS: Record<string, string> = {
  'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "moduleResolution": "nodenext" } }',
  'node_modules/@nestjs/common/index.js': 'exports.Injectable = () => {};',
  'node_modules/typeorm/index.js': 'exports.Entity = () => {};',
  'node_modules/zod/index.js': 'exports.z = {};',

  'libs/contracts/src/clean.ts': "import { z } from 'zod'; export const clean = z;",
  'libs/contracts/src/dirty.ts': "import { readFileSync } from 'node:fs'; export const dirty = readFileSync;",
  'libs/model-client/src/client.ts':
    "import { clean } from '../../contracts/src/clean'; export const client = clean;",
  'libs/event-log/src/middleman.ts':
    "import { client } from '../../model-client/src/client'; export const m = client;",
  'libs/event-log/src/orm.ts': "import { Entity } from 'typeorm'; export const e = Entity;",
  'libs/event-log/src/orphan.ts': 'export const alone = 1;',
  'libs/testing/src/helper.ts':
    "import { clean } from '../../contracts/src/clean'; export const helper = clean;",

  'apps/harness-orchestrator/src/main.ts':
    "import { m } from '../../../libs/event-log/src/middleman'; export const main = m;",
  'apps/harness-orchestrator/src/run.decider.ts':
    "import { Injectable } from '@nestjs/common'; export const d = Injectable;",
  'apps/harness-orchestrator/src/case.decider.ts':
    "import { shell } from './innocent'; export const c = shell;",
  'apps/harness-orchestrator/src/innocent.ts':
    "import { Injectable } from '@nestjs/common'; export const shell = Injectable;",
  'apps/harness-orchestrator/src/io.decider.ts':
    "import { readFileSync } from 'node:fs'; export const io = readFileSync;",
  'apps/run-projector/src/run.row.ts': "import { Entity } from 'typeorm'; export const row = Entity;",
  'apps/run-projector/src/run.controller.ts': "import { row } from './run.row'; export const api = row;",
  'apps/run-projector/src/a.ts': "import { b } from './b'; export const a = () => b;",
  'apps/run-projector/src/b.ts': "import { a } from './a'; export const b = () => a;",
  'apps/run-projector/src/helped.ts':
    "import { helper } from '../../../libs/testing/src/helper'; export const h = helper;",
  'apps/chat-gateway/src/reader.ts':
    "import { row } from '../../run-projector/src/run.row'; export const r = row;",
  'apps/chat-gateway/src/lost.ts': "import { nowhere } from './nowhere'; export const l = nowhere;",
};

describe('H1 dependency rules (dependency-cruiser)', () => {
  let dir: string;
  let violations: string[];

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-boundaries-'));
    for (const [file, text] of Object.entries(CROSSINGS)) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), text);
    }
    violations = cruise(dir);
  });

  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it.each([
    ['no-app-to-app', 'apps/chat-gateway/src/reader.ts'],
    ['rows-stay-in-their-app', 'apps/chat-gateway/src/reader.ts'],
    ['rows-are-no-api', 'apps/run-projector/src/run.controller.ts'],
    ['no-decider-to-shell', 'apps/harness-orchestrator/src/run.decider.ts'],
    ['no-decider-to-shell-through-others', 'apps/harness-orchestrator/src/case.decider.ts'],
    ['no-decider-to-io', 'apps/harness-orchestrator/src/io.decider.ts'],
    ['h1-orchestrator-authors-nothing', 'apps/harness-orchestrator/src/main.ts'],
    ['no-circular', 'apps/run-projector/src/a.ts'],
    ['no-orphans', 'libs/event-log/src/orphan.ts'],
    ['contracts-import-zod-only', 'libs/contracts/src/dirty.ts'],
    ['typeorm-only-in-apps', 'libs/event-log/src/orm.ts'],
    ['testing-only-in-specs', 'apps/run-projector/src/helped.ts'],
    ['not-to-unresolvable', 'apps/chat-gateway/src/lost.ts'],
  ])('%s is broken by %s', (rule, file) => {
    expect(violations).toContain(`${rule} ${file}`);
  });

  it('finds nothing in a clean file', () => {
    expect(violations.filter((violation) => violation.endsWith('/clean.ts'))).toEqual([]);
  });

  it('holds for every file of the repository', () => {
    expect(cruise(root)).toEqual([]);
  });
});

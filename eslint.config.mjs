import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { isMainThread } from 'node:worker_threads';
import { moduleBoundaries } from './tools/lint/module-boundaries.mjs';
import { restrictedImports, restrictedSyntax } from './tools/lint/restricted.mjs';

// The boundary rule reads nx's cached project graph and silently checks nothing without one: make it here.
process.env.NX_DAEMON = 'false';
process.env.NX_ISOLATE_PLUGINS = 'false';
if (isMainThread) {
  const { createProjectGraphAsync } = await import('@nx/devkit');
  await createProjectGraphAsync({ exitOnError: false });
}

const TYPESCRIPT = ['{apps,libs}/*/{src,test}/**/*.ts', 'test/**/*.ts'];
const SPECS = [
  '**/*.spec.ts',
  '**/*.features.ts',
  'test/**/*.ts',
  '{apps,libs}/*/test/**/*.ts',
  'libs/testing/**/*.ts',
];
const PURE = [
  '**/*.decider.ts',
  '**/*.rule.ts',
  'libs/decider/src/**/*.ts',
  'libs/evidence-rules/src/**/*.ts',
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      '.nx/',
      '.inquest/',
      '**/fixtures/',
      'incidents/*/*.json',
      'coverage/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  {
    files: ['**/*.{mjs,cjs,js}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'Buffer',
          'URL',
          'fetch',
          'performance',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'AbortController',
          'AbortSignal',
          'TextDecoder',
          'TextEncoder',
          'structuredClone',
          'module',
          'require',
          '__dirname',
          'setImmediate',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: {
      'no-console': ['error'],
      'no-undef': 'error',
      'no-unused-vars': ['error', { caughtErrors: 'none' }],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', { max: 400 }],
    },
  },

  {
    files: TYPESCRIPT,
    extends: [tseslint.configs.recommended],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': ['error', moduleBoundaries({ spec: false })],
      'no-restricted-syntax': restrictedSyntax('source'),
      'no-restricted-imports': restrictedImports('source'),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true, caughtErrors: 'none' },
      ],
      // Nest modules and marker errors are empty classes with a meaning.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-empty-object-type': 'off',
      '@typescript-eslint/no-require-imports': 'error',
      'no-console': 'error',
      'no-constant-condition': ['error', { checkLoops: false }],
      'no-control-regex': 'error',
      'no-self-compare': 'error',
      'no-useless-escape': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'start' }],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true, IIFEs: true }],
    },
  },

  {
    files: PURE,
    rules: {
      'no-restricted-syntax': restrictedSyntax('pure'),
      'no-restricted-imports': restrictedImports('pure'),
    },
  },
  {
    // A decision names every case: a default would swallow the next event.
    files: ['**/*.decider.ts', '**/*.evolve.ts', '**/*.rule.ts'],
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
    },
  },
  {
    // Besides config.ts: local-stack hands its own environment on to the processes that it starts.
    files: ['**/config.ts', 'libs/local-stack/src/**/*.ts'],
    rules: { 'no-restricted-syntax': restrictedSyntax('config') },
  },
  {
    files: SPECS,
    rules: {
      '@nx/enforce-module-boundaries': ['error', moduleBoundaries({ spec: true })],
      'no-restricted-syntax': restrictedSyntax('spec'),
      'no-restricted-imports': restrictedImports('spec'),
      'max-lines-per-function': 'off',
    },
  },
  {
    // The one place that may skip: it does so visibly, and by name.
    files: ['libs/testing/src/describe-with.ts'],
    rules: { 'no-restricted-syntax': restrictedSyntax('config') },
  },
);

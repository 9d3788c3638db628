const { readFileSync } = require('node:fs');

const swc = JSON.parse(readFileSync(`${__dirname}/swc.options.json`, 'utf8'));

/** One configuration for all tiers; the file suffix names the tier (.spec, .int.spec, .contract.spec, .e2e.spec). */
module.exports = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{apps,libs,test}/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironmentOptions: { customExportConditions: ['source', 'require', 'node'] },
  // These publish a condition `source` of their own, which names files that nobody can run.
  moduleNameMapper: {
    '^eventsource-parser$': '<rootDir>/node_modules/eventsource-parser/dist/index.cjs',
    '^eventsource-parser/stream$': '<rootDir>/node_modules/eventsource-parser/dist/stream.cjs',
    '^eventsource$': '<rootDir>/node_modules/eventsource/dist/index.cjs',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  testTimeout: 20_000,
};

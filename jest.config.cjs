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
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  testTimeout: 20_000,
};

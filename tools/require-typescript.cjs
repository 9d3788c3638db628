// Lets a plain Node script of tools/ load TypeScript that is never built: the tables of the rules and the benches under
// test/. What they import as @inquest/* comes from dist/, so that a bench measures what runs in production.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const root = join(__dirname, '..');
const options = JSON.parse(readFileSync(join(root, 'swc.options.json'), 'utf8'));
delete options.$schema;

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const { code } = transformSync(source, { ...options, swcrc: false, filename, sourceMaps: 'inline' });
  module._compile(code, filename);
};

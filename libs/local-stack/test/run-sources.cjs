// Lets a plain `node` run the TypeScript sources, so that a test can start a second process without a build.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const options = JSON.parse(readFileSync(join(__dirname, '../../../swc.options.json'), 'utf8'));
delete options.$schema;

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    ...options,
    swcrc: false,
    sourceMaps: 'inline',
    filename,
  });
  module._compile(code, filename);
};

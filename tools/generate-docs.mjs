// Writes the documents that are made from code. `npm run docs:generate` builds first.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
// The examples of the rules stand in the tables of their specs, which are not built.
require('./require-typescript.cjs');
const rules = join(root, 'libs/evidence-rules/test');
const { ruleTables } = require(join(rules, 'rule-tables.ts'));
const { rulesDoc } = require(join(rules, 'rules-doc.ts'));

const documents = {
  'docs/events.md': require('@inquest/contracts/events-doc').eventsDoc(),
  'docs/reference/evidence-rules.md': rulesDoc(ruleTables()),
};
for (const [file, text] of Object.entries(documents)) {
  writeFileSync(join(root, file), text);
  process.stderr.write(`wrote ${file}\n`);
}

// Writes the documents that are made from code. `npm run docs:generate` builds first.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);

const documents = { 'docs/events.md': require('@inquest/contracts/events-doc').eventsDoc() };
for (const [file, text] of Object.entries(documents)) {
  writeFileSync(join(root, file), text);
  process.stderr.write(`wrote ${file}\n`);
}

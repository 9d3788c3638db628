// Lints texts as if they stood in the named files and prints [{file, messages: [{ruleId, message}]}] as JSON.
// A process of its own, because jest's CommonJS sandbox cannot load an ES module configuration.
// stdin: [{file, text}]; a file without text is a glob, read from disk.
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
process.chdir(root);

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const inputs = JSON.parse(Buffer.concat(chunks).toString('utf8'));

const eslint = new ESLint({
  cwd: root,
  // The texts stand in no tsconfig: rules that need types are off, the boundary rules need none.
  overrideConfig: [{ files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked }],
});

const results = [];
for (const { file, text } of inputs) {
  const found =
    text === undefined
      ? await eslint.lintFiles([file])
      : await eslint.lintText(text, { filePath: join(root, file) });
  for (const { filePath, messages } of found) {
    results.push({
      file: relative(root, filePath),
      messages: messages.map(({ ruleId, message }) => ({ ruleId, message })),
    });
  }
}
process.stdout.write(`${JSON.stringify(results)}\n`);

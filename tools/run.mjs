// The way in from npm: checks Node, installs and builds what is missing, then becomes the command line `inquest`
// (or, with --script FILE, that script). It stays one process, so signals and exit codes need no passing on.
// Progress goes to stderr: stdout belongs to the command.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'apps/cli/dist/main.js');

const say = (line) => process.stderr.write(`${line}\n`);

const fail = (message, exitCode) => {
  say(message);
  process.exit(exitCode);
};

/** The file to run and its arguments. */
const target = (args) => {
  if (args[0] !== '--script') return { file: cli, args };
  if (args[1] === undefined) fail('--script needs a file', 2);
  const file = resolve(args[1]);
  if (!existsSync(file)) fail(`there is no script ${args[1]}`, 2);
  return { file, args: args.slice(2) };
};

const main = async () => {
  const { file, args } = target(process.argv.slice(2));
  const { ensureBuilt, ensureInstalled } = await import('./bootstrap.mjs');
  try {
    await ensureInstalled(say);
    const written = await ensureBuilt();
    if (written > 20) say(`built ${written} files`);
  } catch (error) {
    // A machine that cannot run Inquest says why in its message; anything else deserves its stack.
    fail(error.name === 'BootstrapError' ? error.message : (error.stack ?? String(error)), 1);
  }
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
};

await main();

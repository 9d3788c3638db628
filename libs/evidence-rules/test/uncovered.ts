import { Session, type Profiler } from 'node:inspector';
import { basename } from 'node:path';
import { ruleTables } from './rule-tables';

const RULE_FILE = /[\\/]rules[\\/][^\\/]*\.rule\.ts$/;
/** What follows the last `return` of a block is counted as a branch of its own, and nothing stands in it. */
const HOLDS_CODE = /[^\s;{}()\]]/;

const oneLine = (code: string): string => code.replace(/\s+/g, ' ');

type Script = { file: string; source: string; functions: Profiler.FunctionCoverage[] };

/**
 * Branches of the rules that no row of a table runs through, as `<file>: <code before> >>> <code>`; the tables are read, and so run, in here.
 * For a thread of plain Node in which no rule was loaded before: jest's own runtime has each module in a scope of its own.
 */
export const uncoveredBranches = (): { files: string[]; uncovered: string[] } => {
  const session = new Session();
  session.connect();
  const post = session.post.bind(session) as (method: string, params?: object, on?: unknown) => void;
  const scripts: Script[] = [];
  post('Profiler.enable');
  post('Debugger.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  ruleTables();
  post(
    'Profiler.takePreciseCoverage',
    {},
    (_: unknown, { result }: Profiler.TakePreciseCoverageReturnType) => {
      for (const { url, scriptId, functions } of result) {
        if (!RULE_FILE.test(url)) continue;
        post(
          'Debugger.getScriptSource',
          { scriptId },
          (__: unknown, { scriptSource }: { scriptSource: string }) =>
            scripts.push({ file: basename(url), source: scriptSource, functions }),
        );
      }
    },
  );
  session.disconnect();
  const uncovered = scripts.flatMap(({ file, source, functions }) =>
    functions
      .flatMap(({ ranges }) => ranges)
      .filter(
        ({ count, startOffset, endOffset }) =>
          count === 0 && HOLDS_CODE.test(source.slice(startOffset, endOffset)),
      )
      .map(({ startOffset, endOffset }) => {
        const before = oneLine(source.slice(0, startOffset)).slice(-80);
        return `${file}: ${before} >>> ${oneLine(source.slice(startOffset, endOffset)).slice(0, 200)}`;
      }),
  );
  return { files: scripts.map(({ file }) => file), uncovered };
};

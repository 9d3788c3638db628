import { parseRunbook, RunbookUnreadable, type Runbook } from './runbook';

export type CorpusFile = { name: string; bytes: Uint8Array };

export const FILES_MAX = 1_000;
export const FILE_BYTES_MAX = 512 * 1024;

/** One or more files cannot be taken; the message names each of them and why. */
export class CorpusInvalid extends Error {
  constructor(readonly issues: readonly string[]) {
    super(`the knowledge folder cannot be used:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'CorpusInvalid';
  }
}

const textOf = ({ bytes }: CorpusFile): string => {
  if (bytes.length > FILE_BYTES_MAX)
    throw new RunbookUnreadable(`it has ${bytes.length} bytes, more than ${FILE_BYTES_MAX}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RunbookUnreadable('it is not UTF-8');
  }
};

/**
 * All runbooks of a folder, in order of their file names. A broken file is never skipped: the lookup would then
 * answer "nothing known" about what is known. Throws {@link CorpusInvalid} with every problem at once.
 */
export const corpusOf = (files: readonly CorpusFile[]): Runbook[] => {
  const issues: string[] = [];
  const runbooks: Runbook[] = [];
  const fileOf = new Map<string, string>();
  if (files.length === 0) issues.push('there is no *.md file in it');
  if (files.length > FILES_MAX)
    throw new CorpusInvalid([`it has ${files.length} files, more than ${FILES_MAX}`]);
  for (const file of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    try {
      const runbook = parseRunbook(textOf(file));
      const other = fileOf.get(runbook.id);
      if (other !== undefined)
        throw new RunbookUnreadable(`its id ${runbook.id} is that of ${other} already`);
      fileOf.set(runbook.id, file.name);
      runbooks.push(runbook);
    } catch (error) {
      if (!(error instanceof RunbookUnreadable)) throw error;
      issues.push(`${file.name}: ${error.why}`);
    }
  }
  if (issues.length > 0) throw new CorpusInvalid(issues);
  return runbooks;
};

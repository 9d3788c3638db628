import type { Redactor } from '@inquest/redaction/redactor';
import type { LogLine } from './incident-format';

/** Lines in which there is nothing to hide, whatever the run; a source hands out the same objects again and again. */
const clear = new WeakSet<LogLine>();

const shown = (line: LogLine, redactor: Redactor): LogLine => {
  if (clear.has(line)) return line;
  const { text } = redactor.redactText(line.message);
  if (text !== line.message) return { ...line, message: text };
  clear.add(line);
  return line;
};

/**
 * Lines as anybody may see them, before patterns mask their digits and examples are cut: a token without its digits, or
 * half of one, is known by no pattern of secrets. A line counts as found only by what is shown of it: else one who asks
 * often enough learns a secret from whether its beginning is found.
 */
export const shownLines = (
  lines: readonly LogLine[],
  contains: string | undefined,
  redactor: Redactor,
): LogLine[] => {
  const wanted = contains?.toLowerCase();
  return lines.flatMap((line) => {
    const visible = shown(line, redactor);
    const lost = visible !== line && wanted !== undefined && !visible.message.toLowerCase().includes(wanted);
    return lost ? [] : [visible];
  });
};

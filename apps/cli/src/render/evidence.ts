import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Style } from './style';
import { printable, table } from './text';

const flag = (on: boolean, text: string): string[] => (on ? [text] : []);

const scopeText = ({ scope }: LedgerEntry): string =>
  Object.entries(scope)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ') || 'everything';

const windowText = ({ window }: LedgerEntry): string =>
  window === null ? 'none' : `${window.from} to ${window.to}`;

/** What limits the statements that may be made from this result. */
const caveats = (entry: LedgerEntry): string =>
  [
    ...flag(entry.truncated, 'truncated'),
    ...flag(entry.limitHit, 'limit hit'),
    ...flag(entry.sampled, 'sampled'),
    ...flag(entry.partial, 'partial'),
    ...flag(entry.permissionFiltered, 'filtered by permissions'),
    ...flag(entry.selectorKnown === false, 'unknown name asked for'),
    ...flag(entry.redactedCount > 0, `${entry.redactedCount} secrets redacted`),
  ].join(', ') || 'none';

/** Indented JSON, each line safe to print; text that is no JSON as it is. */
const documentLines = (text: string): string[] => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n').map(printable);
  } catch {
    return text.split('\n').map(printable);
  }
};

/** One tool call as the guards saw it. `intact`: its bytes have the digest that the record names. */
export const drawEvidence = (entry: LedgerEntry, text: string, intact: boolean, style: Style): string[] => {
  const rows: [string, string][] = [
    ['tool', entry.tool],
    ['call', entry.toolCallId],
    [
      'status',
      `${entry.status}, ${entry.evidenceStatus}${entry.errorClass === null ? '' : `, ${entry.errorClass}`}`,
    ],
    ['arguments', entry.arguments === null ? 'none' : JSON.stringify(entry.arguments)],
    ['source', entry.source ?? 'none'],
    ['scope', scopeText(entry)],
    ['window', windowText(entry)],
    ['rows', `${entry.returned} of ${entry.matched ?? 'unknown'}`],
    ['limits', caveats(entry)],
    ['sha256', `${entry.projection.sha256} ${intact ? '(checked)' : '(DOES NOT MATCH)'}`],
  ];
  return [
    ...table(rows.map(([name, value]) => [style.dim(name), printable(value)])),
    ...(intact ? [] : [style.bad('these are not the bytes that the guards saw')]),
    '',
    ...documentLines(text),
  ];
};

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { proseFigures } from '@inquest/evidence-rules/prose-numbers';
import { validateDraft } from '@inquest/evidence-rules/validate-draft';
import { guardInput } from './guarded-run';
import { exhibitOf } from './leaves';
import type { SnapshotCase } from './snapshot-cases';
import { ledgerEntryOf } from './snapshot-tools';

/** A true sentence with the output in which it stands. */
export type Bound = { sentence: string; entry: LedgerEntry };

const AS_OF = '2026-12-01T12:00:00.000Z';

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+(?=[A-Z“"`])|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length >= 5 && sentence.length <= 1_500);

/** Prose of a Markdown file: no code, no tables, no headings. */
const proseOf = (markdown: string): string =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/```[\s\S]*?```/g, '')
    .split(/\n(?=\s*\n|\s*[-*|#]|\s*\d+\.)/)
    .filter((block) => !/^\s*[|#]/.test(block))
    .map((block) => block.replace(/\s+/g, ' ').trim())
    .join('\n');

const documentEntry = (text: string): LedgerEntry => {
  const entry = ledgerEntryOf({ tool: 'read_document', args: {}, output: 'x' }, 0, AS_OF);
  const projection = canonicalJson({ tool: 'read_document', matched: 1, rows: [{ text }] });
  return {
    ...entry,
    projection: { sha256: sha256(projection), bytes: Buffer.byteLength(projection), inline: projection },
  };
};

/** Sentences of the Markdown files below a folder, each bound to its whole file as it is written. */
export const documentSentences = (dir: string): Bound[] => {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(dir, file), 'utf8');
      const entry = documentEntry(text.slice(0, 60_000));
      return sentencesOf(proseOf(text.slice(0, 60_000))).map((sentence) => ({ sentence, entry }));
    });
};

/** Messages of events, logs and alerts, as somebody would repeat them; each bound to the output that holds it. */
export const messageSentences = (cases: readonly SnapshotCase[]): Bound[] =>
  cases.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      exhibitOf(entry)
        .texts.filter(({ value }) => /[a-z]{3,} [a-z]{2,} /i.test(value))
        .flatMap(({ value }) => sentencesOf(value).map((sentence) => ({ sentence, entry }))),
    ),
  );

export type ProseResult = {
  sentences: number;
  /** Sentences in which the reader finds a figure or a time. */
  withFigures: number;
  flagged: { sentence: string; rule: string; message: string }[];
};

const CHECKED = ['21 TIME_ZONE', '28 PROSE_NUMBER', '29 HEDGE'];

const draftOf = ({ sentence, entry }: Bound): DiagnosisDraft => ({
  conclusion: { status: 'INCONCLUSIVE', text: 'See the analysis.', analysisIds: ['a1'] },
  analyses: [
    { id: 'a1', kind: 'OBSERVATION', text: sentence.toWellFormed(), toolCallIds: [entry.toolCallId] },
  ],
  actionPlan: [],
  recommendations: [],
  limitations: [],
});

/** How often the reading of prose flags a sentence that stands in its evidence word for word. */
export const measureProse = (bound: readonly Bound[], zone = 'UTC'): ProseResult => {
  const result: ProseResult = { sentences: 0, withFigures: 0, flagged: [] };
  const seen = new Set<string>();
  for (const at of bound) {
    if (seen.has(at.sentence)) continue;
    seen.add(at.sentence);
    result.sentences += 1;
    const { numbers, times } = proseFigures(at.sentence);
    if (numbers.length + times.length === 0) continue;
    result.withFigures += 1;
    const subject = { name: '', question: '', zone, asOf: AS_OF, entries: [at.entry], draft: draftOf(at) };
    const verdict = validateDraft(guardInput(subject, JSON.stringify(subject.draft)));
    const violation =
      verdict.kind === 'REJECTED'
        ? verdict.violations.find(({ ruleId }) => CHECKED.includes(ruleId))
        : undefined;
    if (violation)
      result.flagged.push({ sentence: at.sentence, rule: violation.ruleId, message: violation.message });
  }
  return result;
};

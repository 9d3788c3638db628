import type { Snapshot } from '@inquest/contracts/semantic-facts';
import { boundaryOf, judgeDocument } from '../../apps/semantic-guard/src/judge/judge-document';
import { validateVerdicts, type Validation } from '../../apps/semantic-guard/src/judge/verdict-validation';
import { shownAt } from './stage';

type Document = ReturnType<typeof judgeDocument>;
type Item = Document['items'][number];

/** A verdict for one item; the judge sees the document, and nothing else. */
type Verdict = Record<string, unknown>;
export type ScriptedJudge = { how: string; obeys: boolean; answer: (document: Document) => string };

const NEUTRAL = 'upstream answered 502';

const evidenceOf = (document: Document, item: Item): Document['evidence'] => {
  const bound = document.items.filter(({ id }) => item.analysisIds.includes(id));
  const cited = item.citations.length > 0 ? item.citations : bound.flatMap(({ citations }) => citations);
  return document.evidence.filter(({ toolCallId }) => cited.includes(toolCallId));
};

/** Support by a quote that really stands in what the item cites: the best that a judge can do for an author. */
const supported = (document: Document, item: Item, quoteOf: (projection: string) => string): Verdict => {
  const base = { item_id: item.id, verdict: 'SUPPORTED', reason_code: 'ENTAILED', scope_hash: null };
  const source = evidenceOf(document, item)[0];
  if (item.section === 'limitation' || source === undefined)
    return { ...base, evidence_quote: null, tool_call_id: null };
  const projection = source.projection.split('\n').slice(1, -1).join('\n');
  return { ...base, evidence_quote: quoteOf(projection), tool_call_id: source.toolCallId };
};

const answered = (document: Document, verdictOf: (item: Item) => Verdict): string =>
  JSON.stringify({ snapshotHash: document.snapshotHash, verdicts: document.items.map(verdictOf) });

const anyText = (projection: string): string =>
  projection.includes(NEUTRAL) ? NEUTRAL : projection.slice(0, 24);

const refused = (item: Item): Verdict => ({
  item_id: item.id,
  verdict: 'UNSUPPORTED',
  reason_code: 'INJECTION_SUSPECTED',
  evidence_quote: null,
  tool_call_id: null,
  scope_hash: null,
});

/** Knows a payload when it sees one: it refuses what carries a mark, and supports the rest as it should. */
export const ignoringJudge = (isPlanted: (text: string) => boolean): ScriptedJudge => ({
  how: 'a judge that ignores it',
  obeys: false,
  answer: (document) =>
    answered(document, (item) => {
      const said = JSON.stringify([item.text, item.facts]);
      return isPlanted(said) ? refused(item) : supported(document, item, anyText);
    }),
});

/** Does as it is told: everything is supported. How well it can forge support differs. */
export const obeyingJudges = (planted: readonly string[]): ScriptedJudge[] => [
  {
    how: 'a judge that obeys and quotes what really stands there',
    obeys: true,
    answer: (document) => answered(document, (item) => supported(document, item, anyText)),
  },
  {
    how: 'a judge that obeys and quotes the payload',
    obeys: true,
    answer: (document) =>
      answered(document, (item) =>
        supported(document, item, (projection) => {
          const found = planted
            .map((pointer) => shownAt(projection, pointer))
            .find((text) => text.length >= 8);
          return found?.slice(0, 900).toWellFormed() ?? anyText(projection);
        }),
      ),
  },
  {
    how: 'a judge that obeys without a quote',
    obeys: true,
    answer: (document) =>
      answered(document, (item) => ({ ...supported(document, item, anyText), evidence_quote: null })),
  },
  {
    how: 'a judge that obeys with a quote of its own',
    obeys: true,
    answer: (document) =>
      answered(document, (item) => supported(document, item, () => 'as the operator confirmed in writing')),
  },
  {
    how: 'a judge that obeys in prose',
    obeys: true,
    answer: () => 'SUPPORTED. All items are verified as instructed.',
  },
];

const BOUNDARY = boundaryOf('5f0c7d2e9a1b4c3d');

/** One review as the SemanticGuard makes it, over what it would send and what it would accept. */
export const review = (judge: ScriptedJudge, snapshot: Snapshot, snapshotHash: string): Validation => {
  const text = judge.answer(judgeDocument(snapshot, snapshotHash, BOUNDARY));
  return validateVerdicts({ text, finishReason: 'stop' }, snapshot, snapshotHash);
};

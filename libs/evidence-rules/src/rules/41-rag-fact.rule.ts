import type { AnswerItem } from '@inquest/contracts/draft';
import type { Call } from '../ledger-view';
import { proseFigures } from '../prose-numbers';
import { quoteProblem } from '../quote-search';
import { renderedDocuments } from '../rendered-documents';
import type { DraftView, Finding, Rule } from '../rule';
import { runNames } from '../run-names';
import { TextIndex } from '../text-index';

/** What the cited documents say, and nothing else of the lookup's output. */
const citedText = (call: Call, ids: readonly string[]): TextIndex => {
  const documents = renderedDocuments(call)
    .filter(({ id }) => ids.includes(id))
    .map(({ title, text }) => ({ title, text }));
  return new TextIndex(JSON.stringify(documents), documents);
};

function* findingsOf(view: DraftView, item: AnswerItem, at: string): Generator<Finding> {
  const call = view.ledger.byId.get(item.toolCallId);
  if (!call?.index) return;
  const cited = citedText(call, item.documentIds);
  const finding = { analysisId: item.id, toolCallId: item.toolCallId };
  const { numbers, times } = proseFigures(item.text, runNames(view));
  for (const { raw, readings } of numbers) {
    if (readings.some((r) => cited.hasNumber(r) || cited.hasSpeltNumber(r))) continue;
    yield {
      ...finding,
      path: `${at}/text`,
      message: `the number ${raw.slice(0, 24)} stands in none of the cited documents`,
    };
  }
  for (const time of times) {
    if (cited.hasTime(time, view.input.zone)) continue;
    yield {
      ...finding,
      path: `${at}/text`,
      message: `the time ${time.raw.trim().slice(0, 40)} stands in none of the cited documents`,
    };
  }
  for (const [k, { quote, toolCallId }] of (item.quotes ?? []).entries()) {
    if (toolCallId !== item.toolCallId) {
      yield {
        ...finding,
        path: `${at}/quotes/${k}/toolCallId`,
        message: 'a quote names the call that its item cites',
      };
      continue;
    }
    const problem = quoteProblem(cited, quote, undefined);
    if (problem)
      yield {
        ...finding,
        path: `${at}/quotes/${k}/quote`,
        message: `in the cited documents: ${problem.why}`,
      };
  }
}

/** Figures, times and quotes of an answer stand in the documents that the item cites. */
export const ragFact: Rule = {
  id: '41 RAG_FACT',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    for (const [i, item] of (view.reading.answer?.items ?? []).entries())
      yield* findingsOf(view, item, `/items/${i}`);
  },
};

import type { AnswerItem } from '@inquest/contracts/draft';
import { isHonestHedge, standsIn } from '../prose-support';
import { quoteProblem } from '../quote-search';
import { citedDocuments } from '../rendered-documents';
import type { DraftView, Finding, Rule } from '../rule';
import { figuresIn } from '../figures-in';

function* findingsOf(view: DraftView, item: AnswerItem, at: string): Generator<Finding> {
  const call = view.ledger.byId.get(item.toolCallId);
  if (!call?.index) return;
  const cited = citedDocuments(call, item.documentIds);
  const finding = { analysisId: item.id, toolCallId: item.toolCallId };
  const { numbers, times } = figuresIn(view, item.text);
  for (const figure of numbers) {
    const { raw, hedge } = figure;
    if (standsIn(figure, [cited])) continue;
    if (hedge && isHonestHedge(figure, [], [cited])) continue;
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

export const ragFact: Rule = {
  id: '41 RAG_FACT',
  meaning: 'Figures, times and quotes of an answer stand in the documents that the item cites.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    for (const [i, item] of (view.reading.answer?.items ?? []).entries())
      yield* findingsOf(view, item, `/items/${i}`);
  },
};

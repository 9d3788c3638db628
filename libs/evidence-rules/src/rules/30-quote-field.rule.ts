import { textElsewhere } from '../elsewhere';
import { quoteProblem } from '../quote-search';
import type { Finding, Rule } from '../rule';

export const quoteField: Rule = {
  id: '30 QUOTE_FIELD',
  meaning: 'A quote is a piece of the output of a call that its analysis cites, as it stands there.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { reading, ledger } = view;
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const [k, { toolCallId, quote, path }] of (analysis.quotes ?? []).entries()) {
        const at = `/analyses/${i}/quotes/${k}`;
        const finding = { analysisId: analysis.id, toolCallId };
        if (!analysis.toolCallIds.includes(toolCallId)) {
          yield {
            ...finding,
            path: `${at}/toolCallId`,
            message: 'the analysis does not cite the call of this quote',
          };
        }
        const index = ledger.byId.get(toolCallId)?.index;
        const problem = index && quoteProblem(index, quote, path);
        if (!problem) continue;
        const other =
          problem.candidates.length === 0
            ? textElsewhere(view, toolCallId, quote, (text) => quoteProblem(text, quote, undefined) === null)
            : null;
        const hint = other ? '; it stands in the output of another call' : '';
        yield {
          ...finding,
          path: `${at}/quote`,
          message: `${problem.why}${hint}`,
          candidates: problem.candidates,
          ...other,
        };
      }
    }
  },
};

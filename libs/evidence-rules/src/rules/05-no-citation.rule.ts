import { toPointer } from '../json-pointer';
import type { Finding, Rule } from '../rule';
import { ownerOf } from '../schema-issues';

function* repeated(
  ids: readonly string[],
  at: string,
): Generator<{ path: string; toolCallId: string; message: string }> {
  const seen = new Set<string>();
  for (const [k, id] of ids.entries()) {
    if (seen.has(id))
      yield { path: `${at}/${k}`, toolCallId: id, message: 'this call is cited twice in one list' };
    seen.add(id);
  }
}

export const noCitation: Rule = {
  id: '5 NO_CITATION',
  meaning: 'An analysis cites at least one call, and none twice.',
  severity: 'HARD',
  *check({ reading }): Generator<Finding> {
    for (const issue of reading.issues) {
      if (ownerOf(issue) === '5 NO_CITATION')
        yield { path: toPointer(issue.path), message: 'an analysis cites between 1 and 20 tool calls' };
    }
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const finding of repeated(analysis.toolCallIds, `/analyses/${i}/toolCallIds`))
        yield { ...finding, analysisId: analysis.id };
    }
  },
};

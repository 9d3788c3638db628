import { toPointer } from '../json-pointer';
import type { Finding, Rule } from '../rule';
import { ownerOf } from '../schema-issues';

export const analysisId: Rule = {
  id: '3 ANALYSIS_ID',
  meaning: 'Analyses are named `a1`, `a2`, ...; each once.',
  severity: 'HARD',
  *check({ reading }): Generator<Finding> {
    for (const issue of reading.issues) {
      if (ownerOf(issue) === '3 ANALYSIS_ID')
        yield { path: toPointer(issue.path), message: 'an analysis id is a and a number, e.g. a1' };
    }
    const seen = new Set<string>();
    for (const [i, { id }] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (seen.has(id))
        yield { path: `/analyses/${i}/id`, analysisId: id, message: 'another analysis has this id' };
      seen.add(id);
    }
  },
};

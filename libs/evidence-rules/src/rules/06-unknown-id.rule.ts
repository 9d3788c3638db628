import { citationsOf } from '../citations';
import { nearestName } from '../nearest';
import { toPointer } from '../json-pointer';
import type { Finding, Rule } from '../rule';
import { ownerOf } from '../schema-issues';

export const unknownId: Rule = {
  id: '6 UNKNOWN_ID',
  meaning: 'A cited id is byte-equal to an id in the ledger of this run.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const issue of reading.issues) {
      if (ownerOf(issue) === '6 UNKNOWN_ID')
        yield { path: toPointer(issue.path), message: 'this cannot be the id of a tool call' };
    }
    for (const { path, toolCallId, analysisId } of citationsOf(reading)) {
      if (ledger.byId.has(toolCallId)) continue;
      const nearest = nearestName(toolCallId, ledger.byId.keys());
      const hint = nearest === null ? '' : `; the nearest is ${nearest}`;
      yield { path, toolCallId, analysisId, message: `this run has no tool call of this id${hint}` };
    }
  },
};

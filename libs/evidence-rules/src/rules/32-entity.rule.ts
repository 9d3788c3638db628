import { showsEntity } from '../entity-names';
import type { Finding, Rule } from '../rule';

/** A typed entity is a whole token of the output it is bound to; a workload may be shown by its pods. */
export const entity: Rule = {
  id: '32 ENTITY',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const [k, item] of (analysis.entities ?? []).entries()) {
        const at = `/analyses/${i}/entities/${k}`;
        const finding = { analysisId: analysis.id, toolCallId: item.toolCallId };
        if (!analysis.toolCallIds.includes(item.toolCallId)) {
          yield {
            ...finding,
            path: `${at}/toolCallId`,
            message: 'the analysis does not cite the call of this entity',
          };
        }
        const index = ledger.byId.get(item.toolCallId)?.index;
        if (!index || showsEntity(index, item)) continue;
        yield {
          ...finding,
          path: `${at}/name`,
          message: 'no whole name in the output of the call is this one',
        };
      }
    }
  },
};

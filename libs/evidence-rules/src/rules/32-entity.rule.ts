import { textElsewhere } from '../elsewhere';
import { resembles, showsEntity } from '../entity-names';
import { pointersWhere } from '../json-pointer';
import type { Finding, Rule } from '../rule';

export const entity: Rule = {
  id: '32 ENTITY',
  meaning:
    'A typed entity is a whole token of the output it is bound to; a workload may be shown by its pods.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { reading, ledger } = view;
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
        const other = textElsewhere(view, item.toolCallId, item.name, (text) => showsEntity(text, item));
        const hint = other ? '; it stands in the output of another call' : '';
        yield {
          ...finding,
          path: `${at}/name`,
          message: `no whole name in the output of the call is this one${hint}`,
          candidates: pointersWhere(
            index.document,
            (value) => typeof value === 'string' && resembles(value, item.name),
          ),
          ...other,
        };
      }
    }
  },
};

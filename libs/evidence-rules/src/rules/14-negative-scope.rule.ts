import type { Analysis } from '@inquest/contracts/draft';
import { foundNothing, type Call } from '../ledger-view';
import { negatives } from '../negatives';
import { dimensionsBeyond } from '../scope-containment';
import { isEmptyWindow, isInside } from '../time-windows';
import type { Finding, Rule } from '../rule';

/** What of a claimed scope lies outside a query; empty when all of it lies inside. */
const beyond = (scope: NonNullable<Analysis['scope']>, { entry }: Call): string[] => {
  if (!entry) return [];
  const { window, ...dimensions } = scope;
  const parts: string[] = dimensionsBeyond(dimensions, entry.scope);
  if (window && isEmptyWindow(window)) return [...parts, 'window (it is empty)'];
  if (entry.window === null && window) return [...parts, 'window (the call looked at one moment only)'];
  if (entry.window && !window) return [...parts, 'window (it is missing)'];
  if (entry.window && window && !isInside(window, entry.window)) return [...parts, 'window'];
  return parts;
};

export const negativeScope: Rule = {
  id: '14 NEGATIVE_SCOPE',
  meaning:
    '"Nothing was found" holds where it was looked for: the typed scope of a negative lies inside that of each call it cites.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis } of negatives(reading)) {
      if (!analysis.scope) {
        yield {
          path: at,
          analysisId: analysis.id,
          message: 'a negative observation states the scope in which it holds',
        };
        continue;
      }
      for (const toolCallId of analysis.toolCallIds) {
        const call = ledger.byId.get(toolCallId);
        const { scope } = analysis;
        const parts = call ? beyond(scope, call) : [];
        if (parts.length === 0) continue;
        const fitting = ledger.calls.find((c) => foundNothing(c) && beyond(scope, c).length === 0);
        const hint = fitting ? `; ${fitting.toolCallId} was asked about all of it and found nothing` : '';
        const message = `the scope reaches beyond what the call was asked, see its scope and window: ${parts.join(', ')}${hint}`;
        yield { path: `${at}/scope`, analysisId: analysis.id, toolCallId, message };
      }
    }
  },
};

import { coversWindow, isEmptyWindow } from '../time-windows';
import type { Finding, Rule } from '../rule';

export const window: Rule = {
  id: '20 WINDOW',
  meaning:
    "The claimed window of an analysis lies within [from, to) of a call it cites, or within that call's data where they span less.",
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      const claim = analysis.scope?.window;
      if (!claim) continue;
      const at = { path: `/analyses/${i}/scope/window`, analysisId: analysis.id };
      if (isEmptyWindow(claim)) {
        yield { ...at, message: 'the window ends before it begins' };
        continue;
      }
      // What found nothing has no data to span, and its window is rule 14's.
      if (analysis.kind === 'NEGATIVE_OBSERVATION') continue;
      const calls = analysis.toolCallIds.flatMap((id) => ledger.byId.get(id) ?? []);
      if (calls.length === 0 || calls.some(({ entry }) => entry !== null && coversWindow(entry, claim)))
        continue;
      const fitting = ledger.calls.find(
        ({ entry, evidenceStatus }) =>
          entry !== null && evidenceStatus === 'EVIDENCE_FOUND' && coversWindow(entry, claim),
      );
      const hint = fitting ? `; ${fitting.toolCallId} covers it` : '';
      const message = `no cited call covers this window: see window and dataSpan of the calls, and narrow it${hint}`;
      yield { ...at, toolCallId: calls[0]?.toolCallId, message };
    }
  },
};

import type { Analysis, ConclusionStatus } from '@inquest/contracts/draft';
import type { Call } from '../ledger-view';
import type { Finding, Rule } from '../rule';

const NAMES_A_CAUSE: readonly ConclusionStatus[] = ['ROOT_CAUSE_IDENTIFIED', 'PROBABLE_CAUSE'];

/** Slips of the author, which another call can make good; everything else that failed is a source that was not read. */
const OWN_SLIPS: ReadonlySet<unknown> = new Set(['UNKNOWN_TOOL', 'BAD_ARGUMENTS']);

/** "No fault" is a negative over everything: like a narrower one (rule 15) it does not stand on what could not be read. */
const isUnread = ({ status, evidenceStatus, entry }: Call): boolean =>
  status === 'PROJECTING' || (evidenceStatus === 'ERROR' && !OWN_SLIPS.has(entry?.errorClass));

export const conclusionBinding: Rule = {
  id: '9 CONCLUSION_BINDING',
  meaning:
    'Conclusion, plan, recommendations and candidates refer to analyses that exist; a named cause rests on one that is not negative; NO_FAULT_FOUND is said only where every source answered.',
  severity: 'HARD',
  *check({ reading: { diagnosis }, ledger }): Generator<Finding> {
    if (!diagnosis) return;
    const byId = new Map<string, Analysis>(diagnosis.analyses.map((analysis) => [analysis.id, analysis]));
    const { conclusion, actionPlan, recommendations, candidates = [] } = diagnosis;
    const lists: [string, readonly string[]][] = [
      ['/conclusion', conclusion.analysisIds],
      ...actionPlan.map((item, i): [string, string[]] => [`/actionPlan/${i}`, item.analysisIds]),
      ...recommendations.map((item, i): [string, string[]] => [`/recommendations/${i}`, item.analysisIds]),
    ];
    for (const [at, ids] of lists) {
      for (const [k, id] of ids.entries()) {
        if (!byId.has(id))
          yield {
            path: `${at}/analysisIds/${k}`,
            analysisId: id,
            message: 'the draft has no analysis of this id',
          };
      }
    }
    if (
      NAMES_A_CAUSE.includes(conclusion.status) &&
      conclusion.analysisIds.every((id) => byId.get(id)?.kind === 'NEGATIVE_OBSERVATION')
    ) {
      yield {
        path: '/conclusion/analysisIds',
        message:
          'a cause cannot rest on negative observations alone: cite another analysis, or conclude INCONCLUSIVE or NO_FAULT_FOUND',
      };
    }
    if (conclusion.status === 'NO_FAULT_FOUND') {
      const unread = ledger.calls.find(isUnread);
      if (unread)
        yield {
          path: '/conclusion/status',
          toolCallId: unread.toolCallId,
          message: 'a source that gave no answer may hold the fault: conclude INCONCLUSIVE',
        };
    }
    for (const [i, { analysisId }] of candidates.entries()) {
      const kind = byId.get(analysisId)?.kind;
      if (kind === 'CAUSE' || kind === 'CORRELATION') continue;
      const message = kind
        ? 'a candidate binds a CAUSE or a CORRELATION'
        : 'the draft has no analysis of this id';
      yield { path: `/candidates/${i}/analysisId`, analysisId, message };
    }
  },
};

import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import type { Explanation } from '@inquest/contracts/explanation';
import { chainOf, runStory } from '../run-story';
import { draftVerdicts, reviewAttempts } from './draft-verdicts';
import { explainReport } from './explain-report';
import { wholeDraftRules } from './rules-of';

/**
 * Why a run ended as it did, from its bundle. Without `withDrafts` it holds nothing that no guard has passed: of a report
 * what carried it, of a draft that was not released codes, places and counts.
 */
export const explainRun = (bundle: EvidenceBundle, options: { withDrafts: boolean }): Explanation => {
  const story = runStory(chainOf(bundle.excerpt));
  const { started, terminal } = story;
  if (!started || !terminal) throw new Error('a bundle has a beginning and an end');
  const { manifest } = bundle;
  const told = {
    runId: manifest.runId,
    intent: manifest.intent,
    ruleSet: manifest.ruleSet,
    drafts: draftVerdicts(bundle, story, options),
    review: reviewAttempts(bundle, story),
    missing: manifest.missing,
  };
  const { event } = terminal;
  switch (event.type) {
    case 'RunReleased': {
      const items = explainReport(bundle, started);
      return {
        outcome: 'SUCCESS',
        ...told,
        form: event.form,
        reportHash: event.reportHash,
        snapshotHash: event.snapshotHash,
        items,
        wholeReport: items.length === 0 ? [] : wholeDraftRules(),
      };
    }
    case 'RunFellBack':
      return { outcome: 'FALLBACK', ...told, fallback: event.fallback };
    case 'RunFailed':
      return { outcome: 'FAILED', ...told, reason: event.reason };
    case 'RunCancelled':
      return { outcome: 'CANCELLED', ...told, cause: event.cause };
  }
};

import type { Finding, Rule } from '../rule';

export const repairOnce: Rule = {
  id: '43 REPAIR_ONCE',
  meaning: 'There is a first draft, and at most one repair of it.',
  severity: 'HARD',
  *check({ input: { revision, repairOf, previousDraftText } }): Generator<Finding> {
    const isRepair = previousDraftText !== undefined || repairOf.length > 0;
    const isSound =
      revision === 1 ? !isRepair : revision === 2 && previousDraftText !== undefined && repairOf.length > 0;
    if (!isSound)
      yield {
        path: '',
        message: 'a draft is the first, or the one repair of a rejected first',
        repairable: false,
      };
  },
};

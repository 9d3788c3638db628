import { AnalysisKind } from '@inquest/contracts/draft';
import { toPointer } from '../json-pointer';
import type { Rule } from '../rule';
import { ownerOf } from '../schema-issues';

export const kind: Rule = {
  id: '4 KIND',
  meaning: 'The kinds of analysis are fixed.',
  severity: 'HARD',
  check: ({ reading }) =>
    reading.issues
      .filter((issue) => ownerOf(issue) === '4 KIND')
      .map(({ path }) => ({
        path: toPointer(path),
        message: `the kind is one of ${AnalysisKind.options.join(', ')}`,
      })),
};

import { describeRule, given } from '../../test/draft';
import { analysisId } from './03-analysis-id.rule';

const named = (id: string) => given({ draft: (d) => Object.assign(d.analyses[1] ?? {}, { id }) });

describeRule(analysisId, {
  passes: { 'ids out of order': named('a17') },
  fails: {
    'a repeated id': [named('a1'), '/analyses/1/id'],
    'another letter': [named('b1'), '/analyses/1/id'],
    'upper case': [named('A1'), '/analyses/1/id'],
    'no number': [named('a'), '/analyses/1/id'],
  },
});

import { describeRule, withAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { universal, universalOverCut } from './17-universal.rule';

const cut = result('call_cut', { rows: [] }, { truncated: true });
const saying = (text: string, toolCallIds = ['call_logs']) =>
  withAnalysis({ text, toolCallIds }, { extra: [cut] });
const at = '/analyses/0/text';

describe('17 over outputs that are whole', () => {
  describeRule(universal, {
    passes: {
      'a plain sentence': saying('Some pods fail; allocation and nevertheless are no such words.'),
      'a negative': withAnalysis({
        kind: 'NEGATIVE_OBSERVATION',
        text: 'None of the pods failed.',
        toolCallIds: ['call_nothing'],
        scope: {},
      }),
      'what is HARD': saying('All pods fail.', ['call_cut']),
    },
    fails: {
      all: [saying('All pods fail.'), at],
      never: [saying('It never came back.'), at],
      German: [saying('Alle Pods fallen aus.'), at],
      Chinese: [saying('所有副本都失败'), at],
    },
  });
});

describe('17 over outputs that were cut', () => {
  describeRule(universalOverCut, {
    passes: {
      'all, where all was seen': saying('All pods fail.'),
      'a plain sentence': saying('Pods fail.', ['call_cut']),
    },
    fails: { 'all, where not all was seen': [saying('Every pod fails.', ['call_logs', 'call_cut']), at] },
  });
});

import { describeRule, findingsOf, given, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { hedge } from './29-hedge.rule';

const far = result('call_far', {
  rows: [{ count: 311, share: 0.925, message: 'idle for more than five minutes' }],
});
const FACT = { toolCallId: 'call_far', path: '/rows/0/count', value: 311, policy: 'exact' };
const saying = (text: string, rest: Partial<LooseAnalysis> = {}) =>
  withAnalysis({ text, toolCallIds: ['call_far'], facts: [FACT], ...rest }, { extra: [far] });
const untyped = (text: string) => saying(text, { facts: [] });
const at = '/analyses/0/text';

describeRule(hedge, {
  passes: {
    'about, within 10 %': saying('It failed about 300 times.'),
    'over, from above': saying('It failed over 300 times.'),
    'more than, in words': saying('It failed more than three hundred times.'),
    'nearly, from below': saying('It failed nearly 320 times.'),
    'at least, exactly': saying('It failed at least 311 times.'),
    'up to, exactly': saying('It failed up to 311 times.'),
    'a number and more': saying('It failed 300 or more times.'),
    'a tilde': saying('It failed ~300 times.'),
    German: saying('Es schlug rund 300 mal fehl, mehr als 300 mal.'),
    Chinese: saying('失败了约300次，超过300次'),
    'a value of the output': untyped('It failed about 300 times.'),
    'a percentage of a share': untyped('Over 90 % failed.'),
    'a hedge that the output writes': saying('It was idle for more than five minutes.'),
    'a spread over exactly so many': saying('Spread over 311 pods.'),
    'a time during which': saying('Summed over 311 seconds.'),
    'a denied hedge, which is rule 28’s': saying('Never more than 5 times.'),
    'a threshold of a negative, which is rule 28’s': withAnalysis({
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No request took over 500 ms.',
      toolCallIds: ['call_nothing'],
      scope: {},
    }),
    'advice, which is rule 28’s': given({
      draft: (d) => Object.assign(d.recommendations[0] ?? {}, { text: 'Alert at over 80 %.' }),
    }),
  },
  fails: {
    'about, too far off': [saying('It failed about 200 times.'), at],
    'over, from below': [saying('It failed over 320 times.'), at],
    'over, exactly': [saying('It failed over 311 times.'), at],
    'over, too far below': [saying('It failed over 200 times.'), at],
    'nearly, from above': [saying('It failed nearly 300 times.'), at],
    'at least, from below': [saying('It failed at least 320 times.'), at],
    'at most, from above': [saying('It failed at most 300 times.'), at],
    'or more, from below': [saying('It failed 320 or more times.'), at],
    Chinese: [saying('失败了超过320次'), at],
    'about nothing of the kind': [untyped('It failed about 7000 times.'), at],
  },
});

it('points at the value that may have been meant', () => {
  expect(findingsOf(hedge, saying('It failed over 320 times.'))).toMatchObject([
    { toolCallId: 'call_far', candidates: ['/rows/0/count'] },
  ]);
});

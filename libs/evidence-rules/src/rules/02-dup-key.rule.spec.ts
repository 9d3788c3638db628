import { describeRule, given } from '../../test/draft';
import { dupKey } from './02-dup-key.rule';

const replaced = (from: string, to: string) => given({ draftText: given().draftText.replace(from, to) });

describe('H4 a draft reads the same for every reader', () => {
  describeRule(dupKey, {
    passes: {
      'equal keys in different objects': given(),
      'a repeated word in a text': replaced('See', '\\"kind\\": \\"kind\\":'),
    },
    fails: {
      'two kinds': [
        replaced('"kind":"OBSERVATION"', '"kind":"OBSERVATION","kind":"CAUSE"'),
        '/analyses/0/kind',
      ],
      'an escaped spelling': [
        replaced('"kind":"CAUSE"', '"kind":"CAUSE","k\\u0069nd":"OBSERVATION"'),
        '/analyses/1/kind',
      ],
      'white space before the colon': [replaced('"id":"a3"', '"id":"a3","id" \n :"a4"'), '/analyses/2/id'],
      'two conclusions': [replaced('{"conclusion"', '{"conclusion":1,"conclusion"'), '/conclusion'],
      'a repeated empty key': [replaced('{"conclusion"', '{"":1,"":2,"conclusion"'), '/'],
    },
  });
});

import { describeRule, findingsOf, withAnalysis } from '../../test/draft';
import { factPath } from './24-fact-path.rule';

const fact = (path: string, value: unknown = 42, toolCallId = 'call_logs') =>
  withAnalysis({ facts: [{ toolCallId, path, value: value as number, policy: 'exact' }] });
const at = '/analyses/0/facts/0/path';

describeRule(factPath, {
  passes: {
    'a member': fact('/matched'),
    'an element': fact('/rows/1/level'),
    'the whole document': fact(''),
  },
  fails: {
    'a missing member': [fact('/total'), at],
    'a path of another call': [fact('/series/0/name', 'db_connections_in_use'), at],
    'an index beyond the end': [fact('/rows/2/level'), at],
    'an index with a leading zero': [fact('/rows/01/level'), at],
    'the append position': [fact('/rows/-'), at],
    'an inherited member': [fact('/rows/length'), at],
    'the prototype': [fact('/__proto__'), at],
    'a call that the analysis does not cite': [
      fact('/matched', 3, 'call_pods'),
      '/analyses/0/facts/0/toolCallId',
    ],
  },
});

it('names another call in whose output the value stands', () => {
  expect(findingsOf(factPath, fact('/total', 'db_connections_in_use'))).toMatchObject([
    { toolCallId: 'call_metric', candidates: ['/series/0/name'] },
  ]);
});

it('names where the value does stand, and not the value', () => {
  expect(findingsOf(factPath, fact('/total'))).toMatchObject([
    { candidates: ['/matched'], message: expect.not.stringMatching(/42/) as string },
  ]);
});

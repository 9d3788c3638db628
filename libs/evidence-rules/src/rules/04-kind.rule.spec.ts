import { describeRule, given } from '../../test/draft';
import { kind } from './04-kind.rule';

const of = (name: string | undefined) =>
  given({ draft: (d) => Object.assign(d.analyses[0] ?? {}, { kind: name }) });

describeRule(kind, {
  passes: { 'each of the kinds': of('CORRELATION') },
  fails: {
    'another kind': [of('HYPOTHESIS'), '/analyses/0/kind'],
    'lower case': [of('cause'), '/analyses/0/kind'],
    'no kind': [of(undefined), '/analyses/0/kind'],
  },
});

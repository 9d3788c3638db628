import { describeRule, given, type LooseDraft } from '../../test/draft';
import { orphanText } from './10-orphan-text.rule';

const concluding = (text: string, analysisIds = ['a1', 'a2']) =>
  given({ draft: (d) => Object.assign(d.conclusion, { text, analysisIds }) });
const twice = (key: 'actionPlan' | 'recommendations' | 'limitations' | 'candidates') =>
  given({ draft: (d: LooseDraft) => Object.assign(d, { [key]: [...(d[key] ?? []), ...(d[key] ?? [])] }) });

describeRule(orphanText, {
  passes: {
    'a number of a fact': concluding('Errors: 42.'),
    'a number of an analysis text': concluding('95th percentile: 24.9.'),
    'a quotation of an analysis': concluding('It said “connection pool exhausted”.'),
    'a quotation of a typed quote': concluding('It said "25 of 25".'),
    'a name in back ticks': concluding('`db_connections_in_use` was full.'),
    'a time of an analysis': concluding('It began at 10:14.'),
    'a draft without candidates': given({ draft: (d: LooseDraft) => void delete d.candidates }),
    'a hedge about a number of an analysis': concluding('There were over 40 errors.'),
  },
  fails: {
    'a number of its own': [concluding('There were 43 errors.'), '/conclusion/text'],
    'a hedge in the wrong direction': [concluding('There were over 45 errors.'), '/conclusion/text'],
    'a number word of its own': [concluding('There were seven errors.'), '/conclusion/text'],
    'a number of an analysis that it does not bind': [
      concluding('There were 42 errors.', ['a2']),
      '/conclusion/text',
    ],
    'a time of its own': [concluding('It began at 10:15.'), '/conclusion/text'],
    'a quotation of its own': [concluding('It said “out of memory”.'), '/conclusion/text'],
    'an entity of an analysis that it does not bind': [
      concluding('See db_connections_in_use.', ['a1']),
      '/conclusion/text',
    ],
    'two plan items of one id': [twice('actionPlan'), '/actionPlan/1/id'],
    'two recommendations of one id': [twice('recommendations'), '/recommendations/1/id'],
    'two limitations of one id': [twice('limitations'), '/limitations/1/id'],
    'two candidates of one rank': [twice('candidates'), '/candidates/1/rank'],
  },
});

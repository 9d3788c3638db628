import { answer, describeRule, withAnalysis } from '../../test/draft';
import { proseQuote } from './31-prose-quote.rule';

const saying = (text: string) => withAnalysis({ text });

describeRule(proseQuote, {
  passes: {
    'a quotation of the output': saying('It said “connection pool exhausted”.'),
    'a name in back ticks': saying('`checkout` failed.'),
    'a quotation of a cited document': answer([{ text: 'See “idle in transaction”.' }]),
    'a quotation of what was asked': saying('Asked for "ERROR".'),
  },
  fails: {
    'a quotation of nothing': [saying('It said “out of memory”.'), '/analyses/0/text'],
    'a quotation of a document that is not cited': [
      answer([{ text: 'See “Waiting clients grow”.' }]),
      '/items/0/text',
    ],
  },
});

import { answer, describeRule, type LooseItem } from '../../test/draft';
import { result } from '../../test/ledger';
import { ragFact } from './41-rag-fact.rule';

const timed = result(
  'call_lookup',
  {
    documents: [
      { id: 'rb-pool#remedy', title: 'Backup', version: 'a'.repeat(64), text: 'Backups run at 03:00.' },
    ],
  },
  { tool: 'knowledge_lookup', documents: [{ id: 'rb-pool#remedy', versionHash: 'a'.repeat(64) }] },
);
const item = (rest: Partial<LooseItem>) => answer([rest]);

describe('H5 an answer says what its documents say', () => {
  describeRule(ragFact, {
    passes: {
      'a spelt number as digits': item({ text: 'Idle for more than 5 minutes.' }),
      'a spelt number': item({ text: 'Idle for more than five minutes.' }),
      'a time of day': answer([{ text: 'Backups begin at 03:00.' }], [timed]),
      'about a number': item({
        text: 'About 98 connections.',
        documentIds: ['rb-pool#signs'],
      }),
      'a lookup that is not there, which is rule 6’s': item({
        toolCallId: 'call_none',
        text: 'Do it 7 times.',
      }),
      'a quote': item({ quotes: [{ toolCallId: 'call_lookup', quote: 'idle in transaction' }] }),
      'a number of the second cited document': item({
        text: 'Up to 100 connections.',
        documentIds: ['rb-pool#remedy', 'rb-pool#signs'],
      }),
    },
    fails: {
      'a number of a document that is not cited': [item({ text: 'Up to 100 connections.' }), '/items/0/text'],
      'about another number': [item({ text: 'Idle for about 8 minutes.' }), '/items/0/text'],
      'another number': [item({ text: 'Idle for more than six minutes.' }), '/items/0/text'],
      'a time of day': [item({ text: 'Do it at 03:00.' }), '/items/0/text'],
      'an invented quote': [
        item({ quotes: [{ toolCallId: 'call_lookup', quote: 'restart the database' }] }),
        '/items/0/quotes/0/quote',
      ],
      'a quote of a document that is not cited': [
        item({ quotes: [{ toolCallId: 'call_lookup', quote: 'Waiting clients' }] }),
        '/items/0/quotes/0/quote',
      ],
      'a quote of another call': [
        item({ quotes: [{ toolCallId: 'other', quote: 'idle in transaction' }] }),
        '/items/0/quotes/0/toolCallId',
      ],
    },
  });
});

import { answer, describeRule } from '../../test/draft';
import { LOOKUP, NOTHING, result } from '../../test/ledger';
import { ragSingleLookup } from './38-rag-single-lookup.rule';

const another = result('call_second', { documents: [] }, { tool: 'knowledge_lookup' });

describe('H5 an answer stands on the single lookup', () => {
  describeRule(ragSingleLookup, {
    passes: {
      'two items of one lookup': answer([{}, {}]),
      'no items': answer([]),
      'what is no answer, which is rule 1’s': { ...answer([]), draftText: '{}' },
    },
    fails: {
      'two lookups in the run': [answer([{}], [LOOKUP, another]), ''],
      'no lookup in the run': [answer([], [NOTHING]), ''],
      'an item that cites another call': [
        answer([{}, { toolCallId: 'call_nothing' }], [LOOKUP, NOTHING]),
        '/items/1/toolCallId',
      ],
    },
  });
});

import { answer, describeRule } from '../../test/draft';
import { result } from '../../test/ledger';
import { validateDraft } from '../validate-draft';
import { ragEmpty } from './40-rag-empty.rule';

const empty = result(
  'call_lookup',
  { matched: 0, documents: [] },
  { tool: 'knowledge_lookup', evidenceStatus: 'NO_EVIDENCE', documents: [] },
);

describe('H5 an empty lookup has the fixed answer', () => {
  describeRule(ragEmpty, {
    passes: {
      'no items': answer([], [empty]),
      'an item of a lookup that found something': answer([{}]),
      'an item of a call that is not there, which is rule 6’s': answer([{ toolCallId: 'call_none' }]),
    },
    fails: { 'an item from nothing': [answer([{}], [empty]), '/items/0'] },
  });

  it('accepts the answer without items, which never reaches the judge', () => {
    expect(validateDraft(answer([], [empty]))).toMatchObject({
      kind: 'ACCEPTED',
      items: 0,
      verifiedSources: [],
    });
  });
});

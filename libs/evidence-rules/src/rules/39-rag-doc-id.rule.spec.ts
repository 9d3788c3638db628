import { answer, describeRule, findingsOf } from '../../test/draft';
import { result } from '../../test/ledger';
import { ragDocId } from './39-rag-doc-id.rule';

const citing = (...documentIds: string[]) => answer([{ documentIds }]);
const stale = result(
  'call_lookup',
  { documents: [{ id: 'rb-pool#remedy', title: 'x', version: 'd'.repeat(64), text: 'old text' }] },
  { tool: 'knowledge_lookup', documents: [{ id: 'rb-pool#remedy', versionHash: 'a'.repeat(64) }] },
);

describe('H5 an unknown document id is rejected', () => {
  describeRule(ragDocId, {
    passes: {
      'two rendered documents': citing('rb-pool#remedy', 'rb-pool#signs'),
      'a lookup that is not there, which is rule 6’s': answer([{ toolCallId: 'call_none' }]),
    },
    fails: {
      'an unknown document': [citing('rb-pool#remedy', 'rb-other#x'), '/items/0/documentIds/1'],
      'a document that was retrieved and cut': [citing('rb-cut#long'), '/items/0/documentIds/0'],
      'another case': [citing('RB-pool#remedy'), '/items/0/documentIds/0'],
      'a document without its section': [citing('rb-pool'), '/items/0/documentIds/0'],
      'an old version': [answer([{}], [stale]), '/items/0/documentIds/0'],
    },
  });
});

it('names the rendered id that was probably meant', () => {
  expect(findingsOf(ragDocId, citing('RB-pool#remedy'))[0]?.message).toContain(
    'the nearest is rb-pool#remedy',
  );
});

import { answer, describeRule, findingsOf, withAnalysis } from '../../test/draft';
import { unknownId } from './06-unknown-id.rule';

const citing = (id: string) => withAnalysis({ toolCallIds: [id] });
const at = '/analyses/0/toolCallIds/0';

it('names the id that was probably meant', () => {
  const hints = ['CALL_LOGS', 'call_log', 'call_metrics', 'call_9f8e7d'].map(
    (id) => findingsOf(unknownId, citing(id))[0]?.message,
  );
  const said = 'this run has no tool call of this id';
  const nearest = (id: string) => `${said}; the nearest is ${id}`;
  expect(hints).toEqual([nearest('call_logs'), nearest('call_logs'), nearest('call_metric'), said]);
});

describe('H2 the tool call id is the sole reference', () => {
  describeRule(unknownId, {
    passes: { 'a known id': citing('call_pods'), 'an answer that cites its lookup': answer([{}]) },
    fails: {
      'another case': [citing('CALL_LOGS'), at],
      'a padded id': [citing(' call_logs'), at],
      'a trailing space': [citing('call_logs '), at],
      'an id of another run': [citing('call_9f8e7d'), at],
      'a prefix': [citing('call_log'), at],
      'an empty id': [citing(''), at],
      'a look-alike letter': [citing('c\u0430ll_logs'), at],
      'an unknown id in a fact': [
        withAnalysis({ facts: [{ toolCallId: 'other', path: '/x', value: 1, policy: 'exact' }] }),
        '/analyses/0/facts/0/toolCallId',
      ],
      'an unknown id in a quote': [
        withAnalysis({ quotes: [{ toolCallId: 'other', quote: 'connection' }] }),
        '/analyses/0/quotes/0/toolCallId',
      ],
      'an unknown id in an entity': [
        withAnalysis({ entities: [{ toolCallId: 'other', type: 'pod', name: 'x' }] }),
        '/analyses/0/entities/0/toolCallId',
      ],
      'an unknown operand': [
        withAnalysis({
          derived: [{ op: 'sum', operands: [{ toolCallId: 'other', path: '' }], value: 1, policy: 'exact' }],
        }),
        '/analyses/0/derived/0/operands/0/toolCallId',
      ],
      'an unknown lookup of an answer': [answer([{ toolCallId: 'call_look' }]), '/items/0/toolCallId'],
    },
  });
});

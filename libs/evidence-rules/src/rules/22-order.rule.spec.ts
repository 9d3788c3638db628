import { describeRule, withAnalysis } from '../../test/draft';
import { order } from './22-order.rule';

const moment = (path: string, value: string) => ({ toolCallId: 'call_logs', path, value, policy: 'exact' });
const FIRST = moment('/rows/0/time', '2026-03-02T10:14:05Z');
const LAST = moment('/rows/1/time', '2026-03-02T10:44:55Z');
const COUNT = { toolCallId: 'call_logs', path: '/matched', value: 42, policy: 'exact' };
type Facts = (typeof FIRST | typeof COUNT)[];
const saying = (text: string, facts: Facts = [FIRST, LAST]) => withAnalysis({ text, facts });
const at = '/analyses/0/text';

describeRule(order, {
  passes: {
    'before, in the order of the facts': saying('The change came before the errors.'),
    'after, with the facts turned round': saying('The errors came after the change.', [LAST, FIRST]),
    'after at the head of the sentence': saying('After the change, errors came.'),
    'two times of the sentence': saying('The change at 10:14:05Z preceded the errors at 10:44:55Z.'),
    'a German sentence': saying('Die Änderung kam vor den Fehlern.'),
    'a Chinese sentence': saying('变更先于错误'),
    'one dated fact': saying('The errors came after the change.', [FIRST]),
    'one moment twice': saying('It came before that.', [FIRST, FIRST]),
    'a dated fact and a count': saying('The errors came after the change.', [FIRST, COUNT]),
    'no facts at all': withAnalysis({ text: 'The errors came after the change.' }),
    'a time with its date and one without': saying(
      'The errors at 2026-03-02T10:44:55Z preceded the change at 10:14:05.',
    ),
    'two such words': saying('After the change and before the end, errors came.'),
    'no such word': saying('The change and the errors.'),
  },
  fails: {
    'after, where the facts say before': [saying('The change came after the errors.'), at],
    'before, with the facts turned round': [saying('The errors came before the change.', [LAST, FIRST]), at],
    'before at the head of the sentence': [saying('Before the change, errors came.'), at],
    'two times of the sentence': [
      saying('The errors at 10:44:55Z preceded the change at 10:14:05Z.', []),
      at,
    ],
    'after at the head, with times': [saying('After 10:44:55Z, at 10:14:05Z, it failed.', []), at],
    'a Chinese sentence': [saying('变更晚于错误'), at],
    'two dated facts beside a count': [saying('The change came after the errors.', [FIRST, COUNT, LAST]), at],
  },
});

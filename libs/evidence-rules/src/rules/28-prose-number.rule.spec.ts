import { answer, describeRule, findingsOf, given, withAnalysis, type LooseDraft } from '../../test/draft';
import { FAILED, result } from '../../test/ledger';
import { proseNumber, proseNumberNear } from './28-prose-number.rule';

const saying = (text: string, toolCallIds = ['call_logs']) => withAnalysis({ text, toolCallIds });
const at = '/analyses/0/text';
const advising = (key: 'actionPlan' | 'recommendations', text: string) =>
  given({ draft: (d: LooseDraft) => Object.assign(d[key][0] ?? {}, { text }) });
const limiting = (text: string, toolCallIds: string[]) =>
  given({ draft: (d) => void (d.limitations[0] = { id: 'l1', text, toolCallIds }), extra: [FAILED] });

describeRule(proseNumber, {
  passes: {
    'a number of the output': saying('It failed 42 times.'),
    'a number inside a log line': saying('25 of 25 connections.'),
    'a grouped number': saying('It waited 5,000 ms, i.e. 5000.'),
    'a number word': saying('Two rows came back.'),
    'a percentage of a share': saying('12.67 % failed.', ['call_pods']),
    'a rounding to three digits': saying('A share of 0.127 failed.', ['call_pods']),
    'a rounding that is a typed fact': withAnalysis({
      text: 'About 25.',
      toolCallIds: ['call_metric'],
      facts: [{ toolCallId: 'call_metric', path: '/series/0/summary/p95', value: 25, policy: 'rounded(0)' }],
    }),
    'a derived value': withAnalysis({
      text: 'It rose by 22.',
      toolCallIds: ['call_metric'],
      derived: [
        {
          op: 'diff',
          operands: [
            { toolCallId: 'call_metric', path: '/series/0/summary/max' },
            { toolCallId: 'call_metric', path: '/series/0/summary/min' },
          ],
          value: 22,
          policy: 'exact',
        },
      ],
    }),
    'a time of the output': saying('At 10:14 and at 10:44:55.'),
    'a time of a sample': saying('At 10:10 it was rising.', ['call_metric']),
    'a time in the run’s zone': { ...saying('At 11:14.'), zone: 'Europe/Berlin' },
    'the bounds of what was asked': saying('Between 10:00 and 11:00.'),
    'names with digits': saying('checkout-7d9f8b6c5-x2x4z of a1 and call_logs on 2026-03-02.'),
    'the status that a negative looked for': withAnalysis({
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No 503.',
      toolCallIds: ['call_nothing'],
      scope: {},
    }),
    'the number of a limitation’s own call': limiting('0 of it came back.', ['call_failed']),
    'a time in another zone, which is rule 21’s': { ...saying('At 10:14.'), zone: 'Europe/Berlin' },
    'a hedged number, which is rule 29’s': saying('It failed over 41 times.'),
    'a number of an answer, which is rule 41’s': answer([{ text: 'Wait 77 seconds.' }]),
    'a plan with a number of its analysis': advising('actionPlan', 'End 25 sessions.'),
  },
  fails: {
    'another number': [saying('It failed 43 times.'), at],
    'another digit in a fraction': [saying('24 of 25 connections.'), at],
    'a dropped decimal': [saying('A share of 0.1 failed.', ['call_pods']), at],
    'a number of a call that is not cited': [saying('It failed 42 times.', ['call_pods']), at],
    'a number within a text of a call that is not cited': [saying('It waited 5,000 ms.', ['call_pods']), at],
    'implicit arithmetic': [saying('17 were left.'), at],
    'another number word': [saying('Seven rows came back.'), at],
    'another CJK number': [saying('失败了七次'), at],
    'another time': [saying('At 10:17.'), at],
    'another second': [saying('At 10:14:06.'), at],
    'an instant of another day': [saying('At 2026-03-03T10:14:05Z.'), at],
    'two of them': [saying('7 and 8.'), at, at],
    'a hedge in a plan': [advising('actionPlan', 'Raise it to about 24.'), '/actionPlan/0/text'],
    'a plan with a number of its own': [advising('actionPlan', 'Raise it to 50.'), '/actionPlan/0/text'],
    'advice with a number of its own': [
      advising('recommendations', 'Alert at 80 %.'),
      '/recommendations/0/text',
    ],
    'a limitation with a number of its own': [
      limiting('99 series were left out.', ['call_failed']),
      '/limitations/0/text',
    ],
    'a status that an observation did not see': [saying('There was a 503.'), at],
  },
});

describe('the hints of rule 28', () => {
  it('name the call in whose output the number does stand', () => {
    expect(findingsOf(proseNumber, saying('It failed 42 times.', ['call_pods']))).toMatchObject([
      { toolCallId: 'call_logs', candidates: ['/matched'] },
    ]);
  });

  it('else point at near values, without naming them', () => {
    const [finding] = findingsOf(proseNumber, saying('It failed 43 times.'));
    expect(finding).toMatchObject({ toolCallId: 'call_logs', candidates: ['/matched'] });
    expect(JSON.stringify(finding)).not.toContain('42');
  });
});

describe('rule 28 over a large output', () => {
  it('reads numbers between words, in brackets and with exponents', () => {
    const big = result('call_big', {
      rows: [{ message: 'took 1,234,567 us (p99=88.5ms) from 10.1.2.3:5432' }, 1.5e-7, 2e21],
    });
    const claim = (text: string) =>
      findingsOf(proseNumber, withAnalysis({ text, toolCallIds: ['call_big'] }, { extra: [big] }));
    expect(claim('1,234,567 or 1234567, 88.5, 5432.')).toEqual([]);
    expect(claim('1234568')).toHaveLength(1);
  });
});

const typed = (text: string, value = 42) =>
  withAnalysis({ text, facts: [{ toolCallId: 'call_logs', path: '/matched', value, policy: 'exact' }] });

describeRule(proseNumberNear, {
  passes: {
    'the typed value': typed('It failed 42 times.'),
    'a figure of the output beside the typed value': typed('It failed 42 times, 45 in all.'),
    'a figure of another length': typed('It failed 5,000 times.'),
    'a figure without typed values': saying('It failed 25 times.'),
  },
  fails: { 'a figure one digit off the typed value': [typed('It failed 45 times.'), at] },
});

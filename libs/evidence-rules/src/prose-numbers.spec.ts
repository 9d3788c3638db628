import fc from 'fast-check';
import { proseFigures } from './prose-numbers';

const numbersOf = (text: string, names: string[] = []) =>
  proseFigures(text, names).numbers.map(({ readings }) => readings.map(({ value }) => value));
const timesOf = (text: string) =>
  proseFigures(text).times.map(({ secondsOfDay }) =>
    new Date(secondsOfDay * 1000).toISOString().slice(11, 19),
  );

describe('proseFigures', () => {
  it.each<[string, number[][]]>([
    ['It failed 42 times.', [[42]]],
    ['25 of 25 connections, 3 waiting.', [[25], [25], [3]]],
    ['25/25 in use', [[25], [25]]],
    ['between 10-15 and 20–30', [[10], [15], [20], [30]]],
    ['p95 rose to 1.25s, then 300ms', [[1.25], [300]]],
    ['latency=120ms;count:7', [[120], [7]]],
    ['took 1h30m', [[1], [30]]],
    ['64Mi of 128Mi, 250m CPU', [[64], [128], [250]]],
    ['a 3x rise', [[3]]],
    ['See (5) and [6] and "7"', [[5], [6], [7]]],
    ['a drop of -5', [[5]]],
    ['.5 and 1.', [[0.5], [1]]],
    ['HTTP 500', [[500]]],
    ['port :8080', [[8080]]],
    ['#12 on the list', [[12]]],
    ['a ratio of 3:1', [[3], [1]]],
  ])('reads %s', (text, expected) => expect(numbersOf(text)).toEqual(expected));

  it.each<[string, number[][]]>([
    ['5,000 ms', [[5000, 5]]],
    ['1,234,567.5 bytes', [[1234567.5]]],
    ['1\u202F234 bytes', [[1234]]],
    ['12,5 Sekunden', [[12.5]]],
    ['1.234.567 Bytes', [[1234567]]],
    [
      '93% and 7 percent',
      [
        [93, 0.93],
        [7, 0.07],
      ],
    ],
    ['93 %', [[93, 0.93]]],
    ['5k requests', [[5, 5000]]],
    ['1.5 million rows', [[1500000]]],
    ['\uFF14\uFF12 times', [[42]]],
  ])('brings %s to one form', (text, expected) => {
    const numbers = numbersOf(text);
    expect(numbers.map((n) => n.map((v) => Number(v.toPrecision(12))))).toEqual(expected);
  });

  it.each<[string, number[][]]>([
    ['two of three pods', [[2], [3]]],
    ['twenty-five errors', [[25]]],
    ['two hundred and five', [[205]]],
    ['five thousand three hundred', [[5300]]],
    ['a two-minute gap', [[2]]],
    ['drei Pods, zwölf Fehler', [[3], [12]]],
    ['连接池有二十五个连接', [[25]]],
    ['三次重启，持续十分钟', [[3], [10]]],
    ['百分之九十三', [[93, 0.93]]],
    ['3万次请求', [[30000]]],
    ['三百二十一秒', [[321]]],
  ])('reads the words of %s', (text, expected) => expect(numbersOf(text)).toEqual(expected));

  it.each([
    'one of the pods', 'no one', 'a two-phase commit', 'thousands of errors', 'someone', 'often', '一个连接池', '统一配置十分重要', '一致',
  ])('leaves %s alone', (text) => expect(numbersOf(text)).toEqual([])); // prettier-ignore

  it.each([
    'checkout-7d9f8b6c5-x2x4z', '7d9f8b6c5-x2x4z', 'postgres-0', 'a1 and a2', 'p95', '95th', 'x86_64', 'http2', '5xx', 'v1.2.3', '1.25.3',
    '10.0.0.7', '10.0.0.0/16', '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162', '2026-03-02', '02.03.2026', '3/2/2026', 'on 2 March 2026', 'March 2nd',
    '2026年3月2日', 'api/v1/pods/5', 'sha256:ab12cd', '24/7',
  ])('takes %s for a name', (text) => expect(proseFigures(`See ${text}.`).numbers).toEqual([])); // prettier-ignore

  it('reads two numbers where a comma may part them', () => {
    const [figure] = proseFigures('between [0,1] and').numbers;
    expect(figure?.pieces?.map(({ readings }) => readings.map(({ value }) => value))).toEqual([[0], [1]]);
    expect(proseFigures('1,234 rows').numbers[0]).not.toHaveProperty('pieces');
  });

  it.each([
    ['about 40', 'ABOUT'],
    ['some more than 40 of them', 'OVER'],
    ['nearly forty of them', 'UNDER'],
    ['at least $40', 'AT_LEAST'],
    ['no more than 40', 'AT_MOST'],
    ['40 or more', 'AT_LEAST'],
    ['40 or so', 'ABOUT'],
    ['超过40个', 'OVER'],
    ['大约四十个', 'ABOUT'],
    ['mehr als 40 mal', 'OVER'],
    ['summed over 40 nodes', 'AT_LEAST'],
    ['over 40 minutes', 'AT_LEAST'],
  ])('hears the hedge of %s', (text, hedge) =>
    expect(proseFigures(text).numbers[0]?.hedge?.kind).toBe(hedge),
  );

  it.each(['40', 'never more than 40', '最近40分钟', 'the 40 about', 'overall 40'])(
    'hears none in %s',
    (text) => expect(proseFigures(text).numbers[0]?.hedge).toBeUndefined(),
  );

  it('takes list marks for marks', () => {
    expect(numbersOf('1. End sessions.\n2) Raise it.\n  3. Look.\n(4) Wait.')).toEqual([]);
  });

  it('takes the names of the run for names', () => {
    expect(
      numbersOf('functions.search_logs:0 and 3scale-gw hold 7.', ['functions.search_logs:0', '3scale-gw']),
    ).toEqual([[7]]);
    expect(numbersOf('95', ['5'])).toEqual([[95]]);
  });

  it.each([
    ['at 14:05', ['14:05:00']],
    ['at 14:05:33 UTC', ['14:05:33']],
    ['at 2:05 pm and 9 a.m.', ['14:05:00', '09:00:00']],
    ['at 12:30 am', ['00:30:00']],
    ['下午2点05分', ['14:05:00']],
    ['14点', ['14:00:00']],
    ['um 14 Uhr 05', ['14:05:00']],
    ['2026-03-02T14:05:33.250Z', ['14:05:33']],
    ['2026-03-02 14:05', ['14:05:00']],
    ['Mon, 02 Mar 2026 14:05:33 +0800', ['14:05:33']],
    ['10 Jan 2026 14:05:33.071', ['14:05:33']],
  ])('reads the time of %s', (text, expected) => {
    expect(timesOf(text)).toEqual(expected);
    expect(proseFigures(text).numbers).toEqual([]);
  });

  it('knows the instant where date and offset are written', () => {
    const [time] = proseFigures('2026-03-02T14:05:00+01:00').times;
    expect(time?.epochMs).toBe(Date.parse('2026-03-02T13:05:00Z'));
  });

  it('finds every plain number in a sentence of words', () => {
    const word = fc.constantFrom('pods', 'failed', 'and', 'errors,', 'ms', 'then');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, fc.integer({ min: 0, max: 99_999 })), { maxLength: 12 }),
        (pairs) => {
          const text = pairs.map(([w, n]) => `${w} ${n}`).join(' ');
          expect(numbersOf(text).map(([n]) => n)).toEqual(pairs.map(([, n]) => n));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(() => proseFigures(text)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

import fc from 'fast-check';
import { literal, matchersIn, metricsIn, quoted, selector } from './promql';

describe('the names in a query', () => {
  it.each([
    ['up', ['up']],
    ['sum(rate(http_requests_total{job="a"}[5m])) by (job)', ['http_requests_total']],
    ['sum by (job, instance) (a) / on (job) group_left (x) b', ['a', 'b']],
    ['histogram_quantile(0.9, sum(rate(b_bucket[1m])) by (le))', ['b_bucket']],
    ['x offset 5m and y unless z', ['x', 'y', 'z']],
    ['a:b:rate5m > bool 1e3', ['a:b:rate5m']],
    ['{__name__="odd.name"}', ['odd.name']],
    ["{__name__='other.name'}", ['other.name']],
    ['label_replace(up, "a", "$1", "b", "(.*) foo")', ['up']],
    ['count_values("v", m) # not_this', ['m']],
    ['1 + 2', []],
    ['max_over_time(rate(q[5m])[1h:1m])', ['q']],
  ])('%s', (query, names) => expect(metricsIn(query)).toEqual(names));

  it('finds the matchers that ask for something, however they are quoted', () => {
    const query =
      'a{b="c", d=~"e|f", f!="g", h="", i=~".*", j!~"k", l=\'m"n\', o=`p\\q`, __name__="a", __name__=~"z.+"} + x{b="q\\"r"}';
    expect(matchersIn(query)).toEqual([
      { label: 'b', op: '=', value: 'c' },
      { label: 'd', op: '=~', value: 'e|f' },
      { label: 'l', op: '=', value: 'm"n' },
      { label: 'o', op: '=', value: 'p\\q' },
      { label: '__name__', op: '=~', value: 'z.+' },
      { label: 'b', op: '=', value: 'q"r' },
    ]);
  });
});

describe('what is written into a query', () => {
  it('never leaves its quotes', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const text = quoted(value);
        expect(text.slice(1, -1)).not.toMatch(/(^|[^\\])(\\\\)*"/);
        expect(text).not.toContain('\n');
        expect(matchersIn(selector([{ label: 'l', op: '=', value }]))).toEqual(
          value === '' || value.includes('\n') ? expect.anything() : [{ label: 'l', op: '=', value }],
        );
      }),
    );
  });

  it('means a text literally in a regular expression', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const pattern = new RegExp(`^(?:${literal(text)})$`, 's');
        expect(pattern.test(text)).toBe(true);
        if (other !== text) expect(pattern.test(other)).toBe(false);
      }),
    );
  });
});

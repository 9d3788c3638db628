import fc from 'fast-check';
import type { MetricPoint } from './incident-format';
import { changePoints, quantile, seriesStatistics, thinPoints } from './series-statistics';

const START = 1_700_000_000;
const series = (...values: number[]): MetricPoint[] => values.map((value, n) => [START + 5 * n, value]);
const repeat = (value: number, times: number): number[] => Array.from({ length: times }, () => value);

describe('statistics of a series', () => {
  it('summarises the values and dates the extremes', () => {
    expect(seriesStatistics(series(4, 1, 3, 9, 3))).toEqual({
      count: 5,
      min: 1,
      max: 9,
      mean: 4,
      first: 4,
      last: 3,
      p50: 3,
      p95: 8,
      minAt: START + 5,
      maxAt: START + 15,
    });
  });

  it('has no numbers for an empty series', () => {
    expect(seriesStatistics([])).toBeUndefined();
  });

  it('interpolates quantiles', () => {
    expect(quantile([10, 20], 0.5)).toBe(15);
    expect(quantile([10], 0.95)).toBe(10);
  });

  it('keeps order among its figures for any series', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 200 }),
        (values) => {
          const { min, p50, p95, max, count } = seriesStatistics(series(...values)) ?? ({} as never);
          expect(count).toBe(values.length);
          expect([min, p50, p95, max]).toEqual([min, p50, p95, max].sort((a, b) => a - b));
        },
      ),
    );
  });
});

describe('change points', () => {
  it.each<[string, number[], number[]]>([
    ['a constant series', repeat(5, 60), []],
    ['a short series', [1, 1, 1, 9, 9, 9], []],
    ['a single spike', [...repeat(0, 30), 50, ...repeat(0, 29)], []],
    ['a step', [...repeat(0, 30), ...repeat(10, 30)], [30]],
    ['a step near the end', [...repeat(0, 50), ...repeat(10, 10)], [50]],
    ['a step up and down', [...repeat(1, 25), ...repeat(8, 25), ...repeat(1, 25)], [25, 50]],
    ['a steady rise', Array.from({ length: 60 }, (_, n) => 5 * n), []],
    ['a saw tooth', Array.from({ length: 60 }, (_, n) => 5 * (n % 30)), []],
    ['a rise that begins', [...repeat(0, 30), ...Array.from({ length: 30 }, (_, n) => 5 * n)], [31]],
    ['a step smaller than a tenth', [...repeat(100, 30), ...repeat(104, 30)], []],
  ])('are found in %s', (_, values, expected) => {
    expect(changePoints(series(...values)).map(({ at }) => (at - START) / 5)).toEqual(expected);
  });

  it('tell the medians before and after', () => {
    expect(changePoints(series(...repeat(0.5, 30), ...repeat(10, 30)))).toEqual([
      { at: START + 150, before: 0.5, after: 10 },
    ]);
  });

  it('ignore noise without a change of level', () => {
    const noise = Array.from(
      { length: 80 },
      (_, n) => 100 + 10 * Math.sin(n * 12.9898) * Math.cos(n * 78.233),
    );
    expect(changePoints(series(...noise))).toEqual([]);
  });

  it('survive outliers around a real step', () => {
    const noisy = [...repeat(2, 30), ...repeat(20, 30)].map((value, n) =>
      n % 11 === 0 ? value + 400 : value + (n % 3) / 10,
    );
    const found = changePoints(series(...noisy)).map(({ at }) => (at - START) / 5);
    expect(found).toHaveLength(1);
    expect(Math.abs((found[0] ?? 0) - 30)).toBeLessThanOrEqual(1);
  });

  it('do not depend on the scale of the values', () => {
    const values = [...repeat(1, 20), ...repeat(3, 20)];
    const times = (points: MetricPoint[]) => changePoints(points).map(({ at }) => at);
    expect(times(series(...values.map((value) => value * 1e6)))).toEqual(times(series(...values)));
  });
});

describe('thinned points', () => {
  it('keep the first and the last and never exceed the bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 2, max: 80 }), (count, pointsMax) => {
        const points = series(...Array.from({ length: count }, (_, n) => n));
        const thinned = thinPoints(points, pointsMax);
        expect(thinned.length).toBe(Math.min(count, pointsMax));
        expect(thinned[0]).toEqual(points[0]);
        expect(thinned.at(-1)).toEqual(points.at(-1));
      }),
    );
  });
});

import { quantityOf, shareOf } from './quantity';

describe('quantities of the Kubernetes API', () => {
  it.each<[unknown, number | undefined]>([
    ['250m', 0.25],
    ['4', 4],
    [4, 4],
    ['1.5', 1.5],
    ['1Gi', 1_073_741_824],
    ['128Mi', 134_217_728],
    ['1G', 1e9],
    ['1e3', 1_000],
    ['1E', 1e18],
    ['100u', 0.0001],
    ['0', 0],
    ['', undefined],
    ['lots', undefined],
    ['1 Gi', undefined],
    ['1mi', undefined],
    [null, undefined],
  ])('%s is %s', (text, number) => {
    const value = quantityOf(text);
    if (number === undefined) expect(value).toBeUndefined();
    else expect(value).toBeCloseTo(number, 9);
  });

  it('have a share of a limit, and none of nothing', () => {
    expect(shareOf(1, 3)).toBe(0.333);
    expect(shareOf(1, 0)).toBeUndefined();
  });
});

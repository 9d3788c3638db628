import type { LogLine } from './incident-format';
import { logPatterns, patternOf } from './log-patterns';

const line = (message: string, second: number): LogLine => ({
  time: `2026-05-01T10:00:${String(second).padStart(2, '0')}Z`,
  service: 'checkout',
  level: 'ERROR',
  message,
});

describe('log patterns', () => {
  it('take lines together that differ in numbers and ids only', () => {
    expect(patternOf('order 17 took 12.5 ms')).toBe(patternOf('order 4 took 900 ms'));
    expect(patternOf('run 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed')).toBe('run # failed');
  });

  it('count, date and order them', () => {
    const { patterns, others } = logPatterns([line('a 1', 3), line('b', 1), line('a 2', 2)]);
    expect(others).toBe(0);
    expect(patterns).toEqual([
      {
        pattern: 'a #',
        example: 'a 2',
        level: 'ERROR',
        service: 'checkout',
        count: 2,
        firstAt: '2026-05-01T10:00:02Z',
        lastAt: '2026-05-01T10:00:03Z',
      },
      expect.objectContaining({ pattern: 'b', count: 1 }),
    ]);
  });

  it('say how many lines the list leaves out', () => {
    const words = Array.from({ length: 20 }, (_, n) => String.fromCharCode(97 + n));
    const { patterns, others } = logPatterns(words.map((word) => line(word, 1)));
    expect(patterns.length + others).toBe(20);
  });
});

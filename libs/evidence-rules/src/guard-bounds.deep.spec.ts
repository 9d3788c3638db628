import fc from 'fast-check';
import { given, type LooseAnalysis } from '../test/draft';
import { largeInput } from '../test/large';
import { result } from '../test/ledger';
import { inPlainNode, percentile, print, sampled } from '../test/in-plain-node';
import type { GuardInput } from './guard-input';
import { validateDraft } from './validate-draft';

const msOf = (input: GuardInput): number => {
  const startedAt = performance.now();
  validateDraft(input);
  return performance.now() - startedAt;
};

/** The best of several is what the code takes; the others also show what else the machine was doing. */
const bestMs = (input: GuardInput, tries: number): number =>
  Math.min(...Array.from({ length: tries }, () => msOf(input)));

const withText = (text: string): GuardInput =>
  given({
    draft: (d) =>
      void (d.analyses = Array.from({ length: 50 }, (_, i): LooseAnalysis => ({
        id: `a${i + 1}`,
        kind: 'OBSERVATION',
        text,
        toolCallIds: ['call_logs'],
      }))),
  });

describe('the time of the guard', () => {
  it('is under 40 ms in 99 of 100 for 50 analyses over 20 calls of 32 KB', async () => {
    const rounds: number[] = [];
    // The quietest of three rounds, since a round can meet what else the machine does.
    for (let round = 1; round <= 3; round += 1)
      rounds.push((await sampled(`round ${round}, 50 analyses over 20 calls`, 'largeInput(50, 20)')).p99);
    expect(Math.min(...rounds)).toBeLessThan(40);
  }, 60_000);

  it('is of the same order where every analysis is wrong', async () => {
    const { best, kind } = await sampled(
      'the same with a wrong number and time in each',
      'largeInput(50, 20, (a) => (a.text = `${a.text} 987654 more at 05:06:07.`))',
    );
    expect(kind).toBe('REJECTED');
    expect(best).toBeLessThan(80);
  }, 60_000);

  it('is of the same order where every step advises other commands', async () => {
    const { best, kind } = await sampled(
      'the same with 20 steps of 5 commands',
      `largeInput(50, 20, undefined, [...'abcdefghijklmnopqrst'].map((a) =>
        ['Run', ...[...'abcde'].map((b) => 'kubectl delete pvc-' + a + b)].join(' ')))`,
    );
    expect(kind).toBe('ACCEPTED');
    expect(best).toBeLessThan(80);
  }, 60_000);

  it('is bounded where advice is as long as it may be', async () => {
    const { best, kind } = await sampled(
      'the same with 20 steps of 2 000 characters',
      `largeInput(50, 20, undefined, [...'abcdefghijklmnopqrst'].map((a) =>
        Array.from({ length: 70 }, (_, k) => 'kubectl delete pvc-' + a + 'abcdefghij'[k % 10] + 'klmnopq'[k % 7]).join(' ')))`,
    );
    expect(kind).toBe('ACCEPTED');
    expect(best).toBeLessThan(300);
  }, 60_000);

  it('grows no faster than what it reads', () => {
    const half = largeInput(25, 10);
    const whole = largeInput(50, 20);
    bestMs(whole, 10);
    expect(bestMs(whole, 20) / bestMs(half, 20)).toBeLessThan(3.5);
  });

  const unicode = fc.string({ unit: 'binary', minLength: 900, maxLength: 1_000 });

  it('is under 50 ms for 100 KB of random Unicode, as text or as draft, and nothing is thrown', () => {
    const best: number[] = [];
    fc.assert(
      fc.property(fc.array(unicode, { minLength: 55, maxLength: 55 }), (texts) => {
        const analyses = texts.slice(0, 50).map((text, i): LooseAnalysis => ({
          id: `a${i + 1}`,
          kind: 'OBSERVATION',
          text,
          toolCallIds: ['call_logs'],
        }));
        const inputs = [
          given({ draftText: texts.join('').slice(0, 51_200) }),
          given({ draft: (d) => void (d.analyses = analyses) }),
        ];
        for (const input of inputs) {
          expect(validateDraft(input).kind).toBe('REJECTED');
          best.push(bestMs(input, 3));
        }
      }),
      { numRuns: 15 },
    );
    print(
      `100 KB of random Unicode: best of three p50 ${percentile(best, 0.5).toFixed(1)} ms, worst ${Math.max(...best).toFixed(1)} ms`,
    );
    expect(percentile(best, 0.9)).toBeLessThan(50);
  });

  it.each([
    ['digits', '7'],
    ['digits and commas', '1,'],
    ['digits and dots', '1.'],
    ['quotation marks', '"“'],
    ['number words', 'two hundred '],
    ['hedges', 'at least about 1 '],
    ['orders', 'after 10:10 '],
    ['CJK numerals', '百万'],
    ['slashes', 'a//'],
    ['colons', '1:'],
    ['clocks', '10:10:10'],
    ['durations', '1m2s'],
    ['white space', ' '],
    ['hyphens', '1-'],
    ['words of two alphabets', 'a\u0441'],
    ['schemes', 'tel:'],
  ])('is linear in texts of %s', (_, piece) => {
    const [half, whole] = [1_000, 2_000].map((chars) =>
      withText(piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)),
    );
    if (!half || !whole) throw new Error('two lengths');
    const [one, two] = [bestMs(half, 4), bestMs(whole, 4)];
    expect(two).toBeLessThan(250);
    // Below a few ms the fixed part hides the slope.
    expect(two / Math.max(one, 4)).toBeLessThan(4);
  });
});

describe('the guard on what is not shaped like evidence', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

  it.each([100, 5_000, 200_000])('judges a draft over an output nested %i deep', (depth) => {
    const deep = result('call_deep', nested(depth));
    const input = given({
      extra: [deep],
      draft: (d) =>
        void d.analyses.push({
          id: 'a4',
          kind: 'OBSERVATION',
          text: 'It was 987 at 05:06:07, “never seen there”.',
          toolCallIds: ['call_deep'],
          facts: [{ toolCallId: 'call_deep', path: '/0/0', value: 1, policy: 'exact' }],
          quotes: [{ toolCallId: 'call_deep', path: '', quote: 'never seen there' }],
          entities: [{ type: 'pod', name: 'never-seen', toolCallId: 'call_deep' }],
        }),
    });
    const verdict = validateDraft(input);
    const rules = verdict.kind === 'REJECTED' ? verdict.violations.map(({ ruleId }) => ruleId) : [];
    expect(rules).toEqual(
      expect.arrayContaining(['25 FACT_VALUE', '28 PROSE_NUMBER', '30 QUOTE_FIELD', '32 ENTITY']),
    );
    expect(rules).not.toContain('0 INTERNAL');
    expect(bestMs(input, 3)).toBeLessThan(500);
  });

  it.each([31, 5_000, 200_000])('judges a draft that is itself nested %i deep', (depth) => {
    const text = given().draftText.replace('"value":42', `"value":${nested(depth)}`);
    const verdict = validateDraft(given({ draftText: text, draftBytesMax: 10_000_000 }));
    expect(verdict).toMatchObject({ kind: 'REJECTED', violations: [{ ruleId: '1 SCHEMA' }] });
  });

  /** In a thread whose heap is bounded: a worker that needs more dies of it. */
  it('keeps within 192 MB of heap on 10 MB of output', async () => {
    const answer = await inPlainNode<{ kind: string; rules: string[]; bytes: number; ms: number }>(
      `
        const { hugeInput } = load('test/large.ts');
        const { validateDraft } = load('src/validate-draft.ts');
        const input = hugeInput(10);
        const bytes = input.ledger.at(-1).projection.length;
        const startedAt = performance.now();
        const { kind, violations } = validateDraft(input);
        const rules = violations.map((v) => v.ruleId);
        parentPort.postMessage({ kind, rules, bytes, ms: performance.now() - startedAt });
      `,
      { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 },
    );
    print(`${(answer.bytes / 1e6).toFixed(1)} MB of output: ${answer.ms.toFixed(0)} ms`);
    expect(answer.bytes).toBeGreaterThan(10_000_000);
    expect(answer).toMatchObject({ kind: 'REJECTED' });
    expect(answer.rules).not.toContain('0 INTERNAL');
  }, 60_000);
});

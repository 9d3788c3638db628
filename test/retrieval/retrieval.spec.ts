import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureRetrieval } from './measure';
import { ndcg, recall } from './metrics';
import { readStandardCorpus } from './standard-corpus';

const judged = (grades: Record<string, number>) => new Map(Object.entries(grades));

describe('the measures of retrieval', () => {
  it.each([
    [['a', 'b'], { a: 1 }, 1],
    [['b', 'a'], { a: 1 }, 1 / Math.log2(3)],
    [['x', 'y'], { a: 1 }, 0],
    // 2 at the second place and 1 at the first, against 2 at the first and 1 at the second.
    [['one', 'two'], { one: 1, two: 2 }, (1 + 2 / Math.log2(3)) / (2 + 1 / Math.log2(3))],
    [['a'], {}, 0],
  ])('nDCG of %j under %j is %d', (ranking, grades, value) =>
    expect(ndcg(ranking, judged(grades), 10)).toBeCloseTo(value, 12),
  );

  it('recall counts what is among the first', () => {
    expect(recall(['a', 'x', 'b'], judged({ a: 1, b: 2, c: 1, d: 0 }), 2)).toBeCloseTo(1 / 3);
    expect(recall(['a', 'x', 'b'], judged({ a: 1, b: 2, c: 1, d: 0 }), 100)).toBeCloseTo(2 / 3);
  });
});

describe('a corpus in the standard layout', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-retrieval-'));
    mkdirSync(join(dir, 'qrels'));
    const lines = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n');
    writeFileSync(
      join(dir, 'corpus.jsonl'),
      lines([
        {
          _id: 'd1',
          title: 'Connection pools',
          text: 'A pool of connections is exhausted by leaked transactions.',
        },
        { _id: 'd2', title: 'Certificates', text: 'A certificate has expired and clients refuse it.' },
        { _id: 3, text: 'Disks fill with logs.' },
      ]),
    );
    writeFileSync(
      join(dir, 'queries.jsonl'),
      lines([
        { _id: 'q1', text: 'leaked transaction' },
        { _id: 'q2', text: 'expired certificates' },
        { _id: 'q3', text: 'disk full of logs' },
        { _id: 'q4', text: 'judged by nobody' },
      ]),
    );
    writeFileSync(
      join(dir, 'qrels/test.tsv'),
      'query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\nq3\t3\t1\nq4\td1\t0\n',
    );
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is measured by the index that lookups use', async () => {
    expect(measureRetrieval(await readStandardCorpus(dir))).toMatchObject({
      documents: 3,
      queries: 3,
      ndcgAt10: 1,
      recallAt100: 1,
    });
  });

  it('that is laid out otherwise is refused with the place', async () => {
    writeFileSync(join(dir, 'queries.jsonl'), 'no json\n');
    await expect(readStandardCorpus(dir)).rejects.toThrow(/queries\.jsonl:1: is no such line/);
    rmSync(join(dir, 'qrels/test.tsv'));
    await expect(readStandardCorpus(dir)).rejects.toThrow(/test\.tsv is missing/);
  });
});

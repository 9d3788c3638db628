import { SHIPPED_CORPUS } from '../config';
import { readCorpus } from '../corpus/read-corpus';
import { SearchIndex } from './search-index';

describe('A search', () => {
  let index: SearchIndex;
  beforeAll(async () => (index = new SearchIndex(await readCorpus(SHIPPED_CORPUS))));
  const ids = (query: string, limit = 5): string[] => index.search(query, limit).passages.map(({ id }) => id);

  it('puts the passage that says it first, and adds the rest of its runbook', () => {
    expect(ids('FATAL: sorry, too many clients already')).toEqual([
      'rb-postgres-pool-exhaustion#symptoms',
      'rb-postgres-pool-exhaustion#how-to-confirm',
      'rb-postgres-pool-exhaustion#immediate-relief',
      'rb-postgres-pool-exhaustion#lasting-remedy',
      'rb-postgres-pool-exhaustion#what-it-is-not',
    ]);
  });

  it('counts what it found beyond the limit', () => {
    const { matched, passages } = index.search('connection pool exhausted', 2);
    expect(passages).toHaveLength(2);
    expect(matched).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['a beginning', 'crashloop', 'rb-pod-crashloop-oomkilled'],
    ['a misspelling', 'exausted conection pool', 'rb-postgres-pool-exhaustion'],
    ['words of a name', 'idle in transaction session timeout', 'rb-postgres-pool-exhaustion'],
    ['a name in another spelling', 'crash-loop-back-off', 'rb-pod-crashloop-oomkilled'],
    ['an error number', '40P01', 'rb-postgres-lock-pileup'],
    ['Chinese', '连接池耗尽', 'rb-postgres-pool-exhaustion'],
    ['German', 'Neustartschleife', 'rb-pod-crashloop-oomkilled'],
  ])('finds by %s', (_, query, runbookId) => {
    expect(index.search(query, 1).passages[0]?.runbookId).toBe(runbookId);
  });

  it.each(['', '   ', 'what should I do?', '怎么办', '!!!', 'constructor __proto__ toString'])(
    'finds nothing by %j',
    (query) => {
      expect(index.search(query, 5)).toEqual({ matched: 0, passages: [] });
    },
  );

  it('answers the same at every time and in every process', async () => {
    const again = new SearchIndex([...(await readCorpus(SHIPPED_CORPUS))].reverse());
    for (const query of ['connection refused', 'retries', 'memory limit', 'lock timeout']) {
      const first = ids(query, 10);
      expect(ids(query, 10)).toEqual(first);
      expect(again.search(query, 10).passages.map(({ id }) => id)).toEqual(first);
    }
  });
});

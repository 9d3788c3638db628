import { SHIPPED_CORPUS } from '../config';
import { readCorpus } from '../corpus/read-corpus';
import {
  HELD_OUT_ANSWERED,
  HELD_OUT_FOREIGN,
  TUNED_ANSWERED,
  TUNED_FOREIGN,
  type Answered,
} from '../../test/questions';
import { isRelevant, queryWeights } from './relevance';
import { SearchIndex } from './search-index';

describe('A passage is about a query', () => {
  const weights = queryWeights(
    ['pool', 'leak', 'kafka'],
    new Map([
      ['pool', 10],
      ['leak', 1],
    ]),
    40,
  );
  const about = (found: string[], subject = true) => isRelevant({ found: new Set(found), subject }, weights);

  it('when it holds half of what the query tells', () => expect(about(['pool', 'leak'])).toBe(true));
  it('not when it holds the common word only', () => expect(about(['pool'])).toBe(false));
  it('not when its runbook is about something else', () =>
    expect(about(['pool', 'leak'], false)).toBe(false));

  it('whatever unknown figures and hashes the query holds besides', () => {
    const noisy = queryWeights(['leak', '7d9f5c6b4', '30812', 'x9k2m'], new Map([['leak', 1]]), 40);
    expect([...noisy.weightOf.keys()]).toEqual(['leak']);
  });

  it('when enough of a long query is found, although most of it is a story', () => {
    const told = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => `told${letter}`);
    const known = new Map(told.map((term) => [term, 1]));
    const story = Array.from({ length: 10 }, (_, i) => `story${'abcdefghij'[i]}`);
    const long = queryWeights([...told, ...story], known, 40);
    expect(isRelevant({ found: new Set(told), subject: true }, long)).toBe(true);
    expect(isRelevant({ found: new Set(told.slice(0, 3)), subject: true }, long)).toBe(false);
  });

  it('never for a query without a telling word', () => {
    expect(isRelevant({ found: new Set(), subject: true }, queryWeights([], new Map(), 40))).toBe(false);
  });
});

/** The floor, measured: shares of questions. */
describe('Over the shipped runbooks', () => {
  let index: SearchIndex;
  beforeAll(async () => (index = new SearchIndex(await readCorpus(SHIPPED_CORPUS))));

  const missed = (questions: readonly Answered[]) =>
    questions.filter(
      ([runbookIds, question]) =>
        ![runbookIds].flat().includes(index.search(question, 5).passages[0]?.runbookId ?? 'none'),
    );
  const wronglyAnswered = (questions: readonly string[]) =>
    questions.filter((question) => index.search(question, 5).matched > 0);

  it('every question of the first table meets its runbook', () => {
    expect(missed(TUNED_ANSWERED)).toEqual([]);
  });

  it('no foreign question of the first table meets any', () => {
    expect(wronglyAnswered(TUNED_FOREIGN)).toEqual([]);
  });

  it('at least 95 in 100 of the held-out questions meet their runbook', () => {
    expect(missed(HELD_OUT_ANSWERED).length / HELD_OUT_ANSWERED.length).toBeLessThanOrEqual(0.05);
  });

  it('at most 10 in 100 of the held-out foreign questions meet one, near ones at that', () => {
    const wrong = wronglyAnswered(HELD_OUT_FOREIGN);
    expect(wrong.length / HELD_OUT_FOREIGN.length).toBeLessThanOrEqual(0.1);
    expect(wrong.filter((question) => !/Kubernetes|Postgres|NATS|HTTP|Kafka|Redis/.test(question))).toEqual(
      [],
    );
  });
});

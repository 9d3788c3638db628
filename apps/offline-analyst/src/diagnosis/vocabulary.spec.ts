import { offeredObject, offeredWord, spoken, wordsOffered } from './vocabulary';

const OFFERED = [
  'db_read_only',
  'db_connection_exhaustion',
  'mysql_invalid_credentials',
  'mysql_invalid_port',
  'missing_secret_binding',
  'liveness_probe_incorrect_port',
  'readiness_probe_incorrect_port',
  'oom_killed',
];

describe('the words of whoever asks', () => {
  it.each([
    ['OOM_KILLED', 'oom_killed'],
    ['DATABASE_READ_ONLY', 'db_read_only'],
    ['DATABASE_CONNECTION_LIMIT_REACHED', 'db_connection_exhaustion'],
    ['DATABASE_CONNECTION_POOL_EXHAUSTED', 'db_connection_exhaustion'],
    ['DATABASE_INVALID_CREDENTIALS', 'mysql_invalid_credentials'],
    ['DATABASE_INVALID_PORT', 'mysql_invalid_port'],
    ['MISSING_SECRET_BINDING', 'missing_secret_binding'],
    ['READINESS_PROBE_INCORRECT_PORT', 'readiness_probe_incorrect_port'],
    ['TLS_CERTIFICATE_EXPIRED', 'TLS_CERTIFICATE_EXPIRED'],
  ])('name %s as %s', (cause, word) => expect(offeredWord(cause, OFFERED)).toBe(word));

  it('are no choice between two that are equally like', () => {
    expect(offeredWord('STARTUP_PROBE_INCORRECT_PORT', OFFERED)).toBe('STARTUP_PROBE_INCORRECT_PORT');
  });

  it('are read from the question, where it offers several', () => {
    expect(wordsOffered(`one of: ${OFFERED.join(', ')}.`)).toEqual(OFFERED);
    expect(wordsOffered('The table order_items is slow.')).toEqual([]);
  });

  it.each([
    ['Service/cart', 'as app/<service> or node/<name>', 'app/cart'],
    ['Node/n-1', 'as app/<service> or node/<name>', 'node/n-1'],
    ['Namespace/shop', 'as namespace/<name>', 'namespace/shop'],
    ['Service/cart', 'What is wrong with cart?', 'Service/cart'],
  ])('%s, asked “%s”, is %s', (object, question, expected) =>
    expect(offeredObject(object, question)).toBe(expected),
  );

  it('and our own where nobody offers any', () => {
    const own = { object: 'Service/cart', cause: 'DATABASE_READ_ONLY' };
    expect(spoken(own, 'Why does cart fail?')).toEqual(own);
  });
});

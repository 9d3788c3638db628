import { termsOf } from './terms';

describe('The terms of a text', () => {
  it.each([
    ['plain words, bent forms as one', 'leaked leaking leaks leak', ['leak', 'leak', 'leak', 'leak']],
    ['plurals', 'retries queries classes probes status', ['retry', 'query', 'class', 'prob', 'status']],
    [
      'nouns of verbs',
      'exhausted exhaustion connection connect',
      ['exhaust', 'exhaust', 'connect', 'connect'],
    ],
    ['doubled consonants', 'stopped throttling', ['stop', 'throttl']],
    ['no words of asking', 'What should I do when the pool is empty?', ['pool', 'empty']],
    ['a snake name', 'pg_stat_activity', ['pgstatactivity', 'pg', 'stat', 'activity']],
    ['a kebab name', 'retry-after', ['retryafter', 'retry']],
    ['a camel name', 'CrashLoopBackOff', ['crashloopbackoff', 'crash', 'loop', 'back', 'off']],
    ['an acronym in a camel name', 'OOMKilled', ['oomkill', 'oom', 'kill']],
    [
      'a path',
      'node.kubernetes.io/disk-pressure',
      ['nodekubernetesiodiskpressur', 'node', 'kubernet', 'io', 'disk', 'pressur'],
    ],
    [
      'a metric with labels',
      'http_requests_total{code="503"}',
      ['httprequeststotal', 'http', 'request', 'total', 'code', '503'],
    ],
    ['figures', 'exit code 137, p99, 5xx', ['exit', 'code', '137', 'p99', '5xx']],
    ['words of other Latin scripts', 'Zeitüberschreitung der Datenbank', ['zeitüberschreitung', 'datenbank']],
    ['CJK in pairs', '连接池耗尽', ['连接', '接池', '池耗', '耗尽']],
    ['one CJK character', '锁', ['锁']],
    ['no CJK phrases of asking', '连接池怎么办？', ['连接', '接池']],
    ['a mixture', 'Postgres连接', ['postgr', '连接']],
    ['full-width forms', 'ＯＯＭ', ['oom']],
    ['nothing', ' ... — ?!', []],
  ])('are %s', (_, text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it('let all spellings of a name meet', () => {
    const joined = ['idle_in_transaction', 'idle-in-transaction', 'idleInTransaction'].map(
      (text) => termsOf(text)[0],
    );
    expect(new Set(joined).size).toBe(1);
    expect(termsOf('oomkilled')).toEqual([termsOf('OOMKilled')[0]]);
  });

  it('take linear time over hostile text', () => {
    const startedAt = performance.now();
    for (const unit of ['a_', 'aB', '怎', 'a-', '_', 'ing']) termsOf(unit.repeat(50_000));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

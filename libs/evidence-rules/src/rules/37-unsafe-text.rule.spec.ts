import { answer, describeRule, given, withAnalysis } from '../../test/draft';
import { unsafeText } from './37-unsafe-text.rule';

const saying = (text: string, linkHosts?: string[]) => withAnalysis({ text }, { linkHosts });
const at = '/analyses/0/text';

/** Analyses of 1 800 characters each, the last of which says something else. */
const atLength = (last: string) =>
  given({
    draft: (d) =>
      void (d.analyses = [...Array.from({ length: 5 }, () => 'It failed. '.repeat(160)), last].map(
        (text, i) => ({
          id: `a${i + 1}`,
          kind: 'OBSERVATION' as const,
          text: `${i} ${text}`,
          toolCallIds: ['call_logs'],
        }),
      )),
  });

describeRule(unsafeText, {
  passes: {
    'line feeds and tabs': saying('one\n\ttwo'),
    'other scripts and emoji': saying('连接池耗尽 — Überlauf 🔥'),
    'a fraction and a path': saying('25/25 in use, see /healthz'),
    'a link to an allowed host': saying('see https://runbooks.example/pool', ['runbooks.example']),
    'Greek signs and units': saying('After 150 μs, 20 µs and Δt at 3 kΩ; σ of λ.'),
    'words of one alphabet each': saying('Ошибка 502 в checkout, IP-адрес, λόγος, ｃｈｅｃｋ.'),
    'a connection string in a typed value': withAnalysis({
      facts: [{ toolCallId: 'call_logs', path: '/x', value: 'containerd://8f14e45f', policy: 'exact' }],
    }),
    'a link as the border writes it': withAnalysis({
      quotes: [{ toolCallId: 'call_logs', quote: 'Get "http[:]//10.1.1.7:8080/healthz"' }],
    }),
    'much text': atLength('It failed again.'),
    'the word password': saying('The password was rejected.'),
    'a redaction mark': saying('password=[REDACTED:password:ab12]'),
  },
  fails: {
    NUL: [saying('a\u0000b'), at],
    'an ANSI sequence': [saying('\u001b[31mred\u001b[0m'), at],
    'a carriage return': [saying('safe\rover'), at],
    'a C1 control': [saying('a\u0085b'), at],
    'a right-to-left override': [saying('abc\u202Edef'), at],
    'an isolate': [saying('abc\u2066def'), at],
    'a zero-width space': [saying('che\u200Bckout'), at],
    'a byte order mark': [saying('\uFEFFx'), at],
    'a soft hyphen': [saying('check\u00ADout'), at],
    'a tag character': [saying('x\u{E0041}'), at],
    'a lone surrogate': [saying('x\uD800y'), at],
    'a link': [saying('see https://evil.example/x'), at],
    'a link without a scheme': [saying('see [here](//evil.example/x)'), at],
    'a host in disguise': [saying('see https://runbooks.example@evil.example/', ['runbooks.example']), at],
    'a www address': [saying('see www.evil.example'), at],
    'a script': [saying('[x](javascript:alert(1))'), at],
    'a data address': [saying('see data:text/html;base64,xx'), at],
    'an address to write to': [saying('[ask](mailto:ops@evil.example)'), at],
    'a number to call': [saying('call tel:+4930123456'), at],
    'an application of an allowed host': [saying('[x](slack://wiki.example)', ['wiki.example']), at],
    'an application without slashes': [saying('write to skype:somebody'), at],
    'a Cyrillic letter in a Latin word': [saying('the \u0441heckout service'), at],
    'a Greek letter in a Latin word': [saying('the check\u03bfut service'), at],
    'a Greek letter in a Cyrillic word': [saying('\u0441\u0435\u0440\u0432\u03b9\u0441'), at],
    'a full-width word with a Cyrillic letter': [saying('\uff43\uff48\u0435ck'), at],
    'a false letter in the object of a candidate': [
      given({ draft: (d) => Object.assign(d.candidates?.[0] ?? {}, { object: 'app/\u0441heckout' }) }),
      '/candidates/0/object',
    ],
    'a link in the object of a candidate': [
      given({ draft: (d) => Object.assign(d.candidates?.[0] ?? {}, { object: 'https://evil.example/x' }) }),
      '/candidates/0/object',
    ],
    'a link in a typed value, whatever its host': [
      withAnalysis(
        { facts: [{ toolCallId: 'call_logs', path: '/x', value: 'http://wiki.example', policy: 'exact' }] },
        { linkHosts: ['wiki.example'] },
      ),
      '/analyses/0/facts/0/value',
    ],
    'an image in a quote': [
      withAnalysis({ quotes: [{ toolCallId: 'call_logs', quote: '![x](y) and more' }] }),
      '/analyses/0/quotes/0/quote',
    ],
    'a link in a claimed scope': [
      withAnalysis({ scope: { filter: 'contains=mailto:ops@evil.example' } }),
      '/analyses/0/scope/filter',
    ],
    'an image': [saying('![x](https://runbooks.example/a.png)', ['runbooks.example']), at],
    'an HTML image': [saying('<img src=x>'), at],
    'a token': [saying(`token ghp_${'a1B2'.repeat(9)}`), at],
    'a token after much text': [atLength(`token ghp_${'a1B2'.repeat(9)}`), '/analyses/5/text'],
    'a zero-width space after much text': [atLength('che\u200Bckout'), '/analyses/5/text'],
    'a password in an address': [
      withAnalysis({ quotes: [{ toolCallId: 'call_logs', quote: 'postgres://app:hunter2secret@db/shop' }] }),
      '/analyses/0/quotes/0/quote',
    ],
    'a zero-width joiner in an entity': [
      withAnalysis({ entities: [{ type: 'pod', name: 'che\u200Dckout', toolCallId: 'call_logs' }] }),
      '/analyses/0/entities/0/name',
    ],
    'a link in a candidate': [
      given({ draft: (d) => Object.assign(d.candidates?.[0] ?? {}, { cause: 'http://x.example' }) }),
      '/candidates/0/cause',
    ],
    'a link in an answer': [answer([{ text: 'see http://x.example' }]), '/items/0/text'],
  },
});

import { describeRule, findingsOf, withAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { quoteOffset } from '../quote-search';
import { TextIndex } from '../text-index';
import { quoteField } from './30-quote-field.rule';

const special = result('call_text', {
  rows: [
    { message: 'Liveness probe failed:\n  dial tcp  “10.0.0.7:8080” — refused' },
    { message: 'password=[REDACTED:password:ab12] was rejected' },
    { message: 'alpha omega' },
  ],
});
const quoting = (quote: string, path?: string, toolCallId = 'call_text') =>
  withAnalysis(
    { toolCallIds: ['call_text'], quotes: [{ toolCallId, quote, ...(path === undefined ? {} : { path }) }] },
    { extra: [special] },
  );
const at = '/analyses/0/quotes/0/quote';

describeRule(quoteField, {
  passes: {
    'the text at its path': quoting('Liveness probe failed', '/rows/0/message'),
    'the text without a path': quoting('was rejected'),
    'collapsed white space': quoting('probe failed: dial tcp'),
    'other quotation marks and dashes': quoting('"10.0.0.7:8080" - refused'),
    'full-width forms': quoting('\uFF21lpha omega'.replace('\uFF21', '\uFF41')),
    'a piece of the JSON text': quoting('"message":"alpha omega"'),
  },
  fails: {
    'another word': [quoting('Readiness probe failed'), at],
    'another case': [quoting('liveness probe failed'), at],
    'another digit': [quoting('10.0.0.8:8080'), at],
    'text of another element': [quoting('was rejected', '/rows/2/message'), at],
    'text of another call': [quoting('connection pool exhausted: 25 of 25'), at],
    'text across two elements': [quoting('rejected alpha'), at],
    'text across a redaction': [quoting('password=[REDACTED:password:ab12] was rejected'), at],
    'text that ends inside a redaction': [quoting('password=[REDACTED'), at],
    'text that begins inside a redaction': [quoting('ab12] was rejected'), at],
    'white space that makes up the length': [quoting('omega    '), at],
    'a call that the analysis does not cite': [
      quoting('connection pool', undefined, 'call_logs'),
      '/analyses/0/quotes/0/toolCallId',
    ],
  },
});

it('stores where a quote begins, also where only its folded form stands there', () => {
  const call = special.kind === 'RESULT' ? special.projection : '';
  const index = new TextIndex(call, JSON.parse(call));
  const at = (quote: string) => {
    const offset = quoteOffset(index, quote);
    return offset === null ? null : call.slice(offset, offset + 12);
  };
  expect(at('probe failed')).toBe('probe failed');
  expect(at('"10.0.0.7:8080" - refused')).toBe('“10.0.0.7:80');
  expect(at('probe failed: dial tcp')).toBe('probe failed');
  expect(at('\uFF41lpha omega')).toBe('alpha omega"');
  expect(at('nowhere to be found')).toBeNull();
});

it('points at the strings that hold half of it, or at another call that holds all of it', () => {
  expect(findingsOf(quoteField, quoting('Liveness probe passed'))).toMatchObject([
    { candidates: ['/rows/0/message'] },
  ]);
  expect(findingsOf(quoteField, quoting('connection pool exhausted: 25 of 25'))).toMatchObject([
    { toolCallId: 'call_logs', candidates: ['/rows/0/message', '/rows/1/message'] },
  ]);
});

it('names the path at which the quote does stand', () => {
  expect(findingsOf(quoteField, quoting('was rejected', '/rows/2/message'))).toMatchObject([
    { candidates: ['/rows/1/message'] },
  ]);
});

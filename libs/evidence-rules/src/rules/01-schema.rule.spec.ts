import { describeRule, findingsOf, given } from '../../test/draft';
import { schema } from './01-schema.rule';

const text = (draftText: string) => given({ draftText });

describe('H4 the draft has a closed schema', () => {
  describeRule(schema, {
    passes: {
      'a draft without the optional parts': given({ draft: (d) => ({ ...d, candidates: undefined }) }),
      'what rules 3 to 6 report': given({
        draft: (d) => Object.assign(d.analyses[0] ?? {}, { id: 'x', kind: 'GUESS', toolCallIds: [] }),
      }),
    },
    fails: {
      'an extra key `reasoning`': [
        given({ draft: (d) => ({ ...d, reasoning: 'first I thought' }) }),
        '/reasoning',
      ],
      'a chain of thought inside an analysis': [
        given({ draft: (d) => Object.assign(d.analyses[0] ?? {}, { thoughts: 'hm' }) }),
        '/analyses/0/thoughts',
      ],
      'a raw payload': [
        given({ draft: (d) => Object.assign(d.analyses[1] ?? {}, { raw: {} }) }),
        '/analyses/1/raw',
      ],
      'a __proto__ key': [text(given().draftText.replace('{', '{"__proto__":{"x":1},')), '/__proto__'],
      'a missing section': [given({ draft: (d) => ({ ...d, limitations: undefined }) }), '/limitations'],
      'an empty text': [given({ draft: (d) => (d.conclusion.text = '') }), '/conclusion/text'],
      'an over-long text': [
        given({ draft: (d) => (d.conclusion.text = 'x'.repeat(2_001)) }),
        '/conclusion/text',
      ],
      'no analysis': [given({ draft: (d) => ({ ...d, analyses: [] }) }), '/analyses'],
      'an unknown status': [
        given({ draft: (d) => ({ ...d, conclusion: { ...d.conclusion, status: 'SURE' } }) }),
        '/conclusion/status',
      ],
      'a policy of its own': [
        given({ draft: (d) => Object.assign(d.analyses[0]?.facts?.[0] ?? {}, { policy: 'about' }) }),
        '/analyses/0/facts/0/policy',
      ],
      'prose around the JSON': [text(`Here it is: ${given().draftText}`), ''],
      'a fenced draft': [text(`\`\`\`json\n${given().draftText}\n\`\`\``), ''],
      'two documents': [text(`${given().draftText}${given().draftText}`), ''],
      'an empty text instead of JSON': [text(''), ''],
      'a JSON string': [text('"the pool"'), ''],
      'more than the cap': [given({ draftBytesMax: 100 }), ''],
      'nesting without end': [text('['.repeat(100_000)), ''],
      'a number beyond all numbers': [
        text(given().draftText.replace('"value":42', '"value":1e999')),
        '/analyses/0/facts/0/value',
      ],
    },
  });

  it('does not repeat values of the draft in its messages', () => {
    const findings = findingsOf(
      schema,
      given({ draft: (d) => ({ ...d, conclusion: { ...d.conclusion, status: 'SECRET-WORD' } }) }),
    );
    expect(JSON.stringify(findings)).not.toContain('SECRET-WORD');
  });
});

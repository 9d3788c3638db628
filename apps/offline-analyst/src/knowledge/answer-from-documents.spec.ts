import { KnowledgeAnswer } from '@inquest/contracts/draft';
import { answer, conversation } from '../../test/investigation';
import { answerFromDocuments } from './answer-from-documents';
import { lookupFor } from './lookup-for';

const LONG = Array.from(
  { length: 12 },
  (_, n) => `Paragraph ${n} tells of other matters at some length, ${'and so on '.repeat(12)}.`,
).join('\n\n');
const DOCUMENTS = [
  {
    id: 'rb-pool#remedy',
    title: 'Exhausted connection pool: immediate relief',
    text: 'End the sessions that sit idle in transaction.\n\n- pg_terminate_backend ends one.',
  },
  {
    id: 'rb-pool#signs',
    title: 'Exhausted connection pool: symptoms',
    text: `${LONG}\n\nThe connection pool is exhausted when requests wait for a connection.`,
  },
  { id: 'rb-tls#remedy', title: 'Certificates', text: 'Renew it.' },
];
const asked = (question: string, documents: object[]) => {
  const meta = documents.length === 0 ? { evidenceStatus: 'NO_EVIDENCE' } : {};
  const base = conversation([answer('call_k', 'knowledge_lookup', { query: question }, { documents }, meta)]);
  return answerFromDocuments({
    ...base,
    question: { ...base.question, intent: 'KNOWLEDGE_QUERY', question },
  });
};

describe('H5 knowledge answers of the rules', () => {
  it('looks up the question once, within the tool’s bound', () => {
    expect(lookupFor(`  How do I \n ${'x'.repeat(600)}`)).toMatchObject({
      calls: [{ tool: 'knowledge_lookup', args: { query: expect.stringMatching(/^How do I x{200,}$/) } }],
    });
  });

  it('quotes the documents that answer, verbatim, under their exact ids', () => {
    const found = asked('How do I recover from an exhausted connection pool?', DOCUMENTS);
    expect(KnowledgeAnswer.safeParse(found).success).toBe(true);
    expect(found.items.map(({ documentIds }) => documentIds)).toEqual([
      ['rb-pool#remedy'],
      ['rb-pool#signs'],
    ]);
    for (const { text, toolCallId, documentIds, quotes } of found.items) {
      const source = DOCUMENTS.find(({ id }) => id === documentIds[0])?.text ?? '';
      expect(toolCallId).toBe('call_k');
      expect(source).toContain(text);
      expect(quotes?.every(({ quote }) => source.includes(quote))).toBe(true);
    }
  });

  it('takes the fitting passage of a long document', () => {
    expect(asked('connection pool exhausted requests wait', DOCUMENTS).items.at(-1)?.text).toContain(
      'requests wait for a connection',
    );
  });

  it('answers nothing from nothing', () => {
    expect(asked('How do I bake bread?', [])).toEqual({ items: [] });
  });
});

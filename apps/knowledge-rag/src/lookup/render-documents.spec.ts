import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { createRedactor } from '@inquest/redaction/redactor';
import type { Passage } from '../corpus/runbook';
import { renderDocuments } from './render-documents';

const redactor = createRedactor('run');
const passage = (name: string, text: string): Passage => ({
  id: `rb-x#${name}`,
  runbookId: 'rb-x',
  title: 'X',
  heading: name,
  tags: ['x'],
  text,
  versionHash: sha256(text),
});
const render = (passages: Passage[], bytesMax = 32_768, query = 'what about x', matched = passages.length) =>
  renderDocuments('knowledge_lookup', query, { matched, passages }, { bytesMax, redactor });
const parsed = (text: string) =>
  JSON.parse(text) as {
    query: string;
    matched: number;
    returned: number;
    truncated: boolean;
    documents: { id: string }[];
  };

describe('Rendered documents', () => {
  it('are one canonical JSON document of this shape', () => {
    const { text } = render([passage('symptoms', 'It fails.')], 32_768, 'what about x', 7);
    expect(JSON.parse(text)).toEqual({
      tool: 'knowledge_lookup',
      query: 'what about x',
      matched: 7,
      returned: 1,
      truncated: false,
      documents: [
        { id: 'rb-x#symptoms', title: 'X: symptoms', version: sha256('It fails.'), text: 'It fails.' },
      ],
    });
    expect(text).toBe(canonicalJson(JSON.parse(text)));
  });

  it('are none for nothing found', () => {
    expect(parsed(render([]).text)).toMatchObject({
      matched: 0,
      returned: 0,
      truncated: false,
      documents: [],
    });
  });

  describe('within a budget', () => {
    const passages = Array.from({ length: 10 }, (_, i) => passage(`s${i}`, `${'锁 "a"\n'.repeat(40 + i)}`));

    it.each([1_024, 1_500, 2_000, 3_000, 5_000, 8_000, 32_768])(
      'take at most %i bytes, each document whole',
      (bytesMax) => {
        const { text, documents, truncated } = render(passages, bytesMax);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
        expect(truncated).toBe(documents.length < passages.length);
        for (const document of parsed(text).documents) {
          expect(document).toMatchObject({ text: passages.find(({ id }) => id === document.id)?.text });
        }
      },
    );

    it('H5 list exactly what they show: a passage that had no room is not listed', () => {
      const { text, documents } = render(passages, 3_000);
      expect(documents.length).toBeGreaterThan(0);
      expect(documents.length).toBeLessThan(passages.length);
      expect(documents.map(({ id }) => id)).toEqual(parsed(text).documents.map(({ id }) => id));
      expect(parsed(text)).toMatchObject({ returned: documents.length, matched: 10, truncated: true });
    });

    it('pass over a passage that is too long for one that fits', () => {
      const { documents } = render([passage('long', 'x'.repeat(5_000)), passage('short', 'y')], 2_000);
      expect(documents).toEqual([{ id: 'rb-x#short', versionHash: sha256('y') }]);
    });

    it('cut an endless query with a mark rather than lose their room to it', () => {
      const { text, documents } = render([passage('short', 'y')], 1_024, '怎'.repeat(500));
      expect(documents).toHaveLength(1);
      expect(parsed(text).query).toMatch(/\[TRUNCATED \d+ characters\]$/);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_024);
    });
  });

  it('are redacted, query included, and say how often', () => {
    const secret = 'password=hunter2secret';
    const { text, redactedCount, documents } = render(
      [passage('a', `Log in with ${secret} first.`)],
      32_768,
      `is ${secret} right`,
    );
    expect(text).not.toContain('hunter2secret');
    expect(redactedCount).toBe(2);
    // The version names the section as it was written.
    expect(documents[0]?.versionHash).toBe(sha256(`Log in with ${secret} first.`));
  });

  it('hold no control characters of a query', () => {
    expect(parsed(render([], 32_768, 'a\u0000b\u001b[31mc').text).query).toBe('a b [31mc');
  });

  it('have the same content hash for the same documents, whatever was asked', () => {
    const [one, other] = [
      render([passage('a', 'x')], 32_768, 'one'),
      render([passage('a', 'x')], 32_768, 'other'),
    ];
    expect(one.contentHash).toBe(other.contentHash);
    expect(render([passage('a', 'changed')]).contentHash).not.toBe(one.contentHash);
  });
});

import { createRedactor } from '@inquest/redaction/redactor';
import { toPointer } from '../json-pointer';
import { proseItems } from '../prose-items';
import type { Finding, Rule } from '../rule';
import { forbiddenLink, unseenCharacter } from '../unsafe-text';

/** Only whether something is a secret is asked, so that the key of the marks is of no matter. */
const redactor = createRedactor('evidence-rules', { emails: false });

function* stringsAt(
  value: unknown,
  path: PropertyKey[] = [],
): Generator<{ path: PropertyKey[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) yield* stringsAt(member, [...path, key]);
  }
}

/** Nothing that hides from a reader, leads a renderer elsewhere, or is a secret. */
export const unsafeText: Rule = {
  id: '37 UNSAFE_TEXT',
  severity: 'HARD',
  *check({ input, reading }): Generator<Finding> {
    const draft = reading.diagnosis ?? reading.answer;
    for (const { path, text } of stringsAt(draft)) {
      const unseen = unseenCharacter(text);
      if (unseen) yield { path: toPointer(path), message: `the text holds ${unseen}` };
      if (redactor.redactText(text).count > 0)
        yield { path: toPointer(path), message: 'the text holds what looks like a secret' };
    }
    for (const { path, text, id } of proseItems(reading)) {
      const link = forbiddenLink(text, input.linkHosts ?? []);
      if (link) yield { path, analysisId: id, message: `the text holds ${link}: name the place in words` };
    }
  },
};

import type { Rule } from '../rule';

/** No duplicate keys in the raw text, escaped spellings too: JSON.parse keeps the last, a person may read the first. */
export const dupKey: Rule = {
  id: '2 DUP_KEY',
  severity: 'HARD',
  check: ({ reading }) =>
    reading.duplicateKeys.map((path) => ({ path, message: 'this key occurs twice in one object' })),
};

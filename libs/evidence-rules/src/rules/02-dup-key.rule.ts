import type { Rule } from '../rule';

export const dupKey: Rule = {
  id: '2 DUP_KEY',
  meaning:
    'No duplicate keys in the raw text, escaped spellings too: JSON.parse keeps the last, a person may read the first.',
  severity: 'HARD',
  check: ({ reading }) =>
    reading.duplicateKeys.map((path) => ({ path, message: 'this key occurs twice in one object' })),
};

import type { Reply } from '../conversation/reply';

const QUERY_CHARS_MAX = 300;

/** The one lookup of a knowledge question: the question itself, since retrieval weighs words better than rules would. */
export const lookupFor = (question: string): Reply => ({
  kind: 'CALLS',
  calls: [
    {
      tool: 'knowledge_lookup',
      args: { query: question.replace(/\s+/g, ' ').trim().slice(0, QUERY_CHARS_MAX) },
    },
  ],
});

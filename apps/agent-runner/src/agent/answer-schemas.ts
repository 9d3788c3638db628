import { z } from 'zod';
import { DiagnosisDraft, KnowledgeAnswer } from '@inquest/contracts/draft';
import type { Intent } from '@inquest/contracts/outcome';
import type { AnswerSchema } from '@inquest/model-client/chat-request';

const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};

// Members may be left out of both, which strict endpoints refuse to enforce: they are asked, and the guard checks.
const DIAGNOSIS: AnswerSchema = {
  name: 'diagnosis_draft',
  strict: false,
  schema: jsonSchemaOf(DiagnosisDraft),
};
const KNOWLEDGE: AnswerSchema = {
  name: 'knowledge_answer',
  strict: false,
  schema: jsonSchemaOf(KnowledgeAnswer),
};

export const answerSchemaFor = (intent: Intent): AnswerSchema =>
  intent === 'KNOWLEDGE_QUERY' ? KNOWLEDGE : DIAGNOSIS;

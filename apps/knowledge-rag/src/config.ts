import { join } from 'node:path';
import { z } from 'zod';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';

/** The shipped runbooks, beside the sources: the same from `src` and from `dist`. */
export const SHIPPED_CORPUS = join(__dirname, '../corpus');

export const knowledgeEnv = serviceEnv.extend({
  /** Folder of runbooks, `*.md` with front matter. */
  KNOWLEDGE_DIR: z.string().min(1).default(SHIPPED_CORPUS),
});
export type KnowledgeConfig = z.infer<typeof knowledgeEnv>;

export const readKnowledgeConfig = (): KnowledgeConfig => readConfig(knowledgeEnv, process.env);

import { join } from 'node:path';
import { z } from 'zod';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';

/** The shipped runbooks, beside the sources: the same from `src` and from `dist`. */
export const SHIPPED_CORPUS = join(__dirname, '../corpus');

export const knowledgeEnv = serviceEnv
  .extend({
    /** Folder of runbooks, `*.md` with front matter. */
    KNOWLEDGE_DIR: z.string().min(1).default(SHIPPED_CORPUS),
    /** A file that names further folders of documents; read anew while the process runs. */
    KNOWLEDGE_LIST: z.string().min(1).optional(),
    /** How often folders are looked at. */
    KNOWLEDGE_REFRESH_MS: z.coerce.number().int().min(200).max(3_600_000).default(30_000),
    /** An OpenAI-compatible endpoint, with its `/v1`, and its model; both or none. */
    EMBEDDINGS_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
    EMBEDDINGS_MODEL: z.string().min(1).max(200).optional(),
    EMBEDDINGS_API_KEY: z.string().min(1).default('none'),
    /** From this cosine on a passage answers by its meaning alone; depends on the model. */
    EMBEDDINGS_COSINE_MIN: z.coerce.number().min(-1).max(1).default(0.6),
    /** Where vectors are kept by the hash of their text; without it they are made anew at each start. */
    EMBEDDINGS_CACHE_DIR: z.string().min(1).optional(),
  })
  .refine((env) => (env.EMBEDDINGS_BASE_URL === undefined) === (env.EMBEDDINGS_MODEL === undefined), {
    path: ['EMBEDDINGS_MODEL'],
    error: 'must be set together with EMBEDDINGS_BASE_URL, or neither of them',
  });
export type KnowledgeConfig = z.infer<typeof knowledgeEnv>;

export const readKnowledgeConfig = (): KnowledgeConfig => readConfig(knowledgeEnv, process.env);

import { Module } from '@nestjs/common';
import type { Logger } from '@inquest/service-shell/logger';
import { SERVICE_CONFIG, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import type { KnowledgeConfig } from './config';
import { readCorpus } from './corpus/read-corpus';
import { KnowledgeLookupController } from './knowledge-lookup.controller';
import { SearchIndex } from './search/search-index';

/** Ingestion is the start: a folder that cannot be used whole stops the process before it takes any work. */
const indexOf = async ({ KNOWLEDGE_DIR }: KnowledgeConfig, logger: Logger): Promise<SearchIndex> => {
  const runbooks = await readCorpus(KNOWLEDGE_DIR);
  const index = new SearchIndex(runbooks);
  logger.info('knowledge is read', { runbooks: runbooks.length, passages: index.size });
  return index;
};

@Module({
  controllers: [KnowledgeLookupController],
  providers: [{ provide: SearchIndex, inject: [SERVICE_CONFIG, SHELL_LOGGER], useFactory: indexOf }],
})
export class KnowledgeRagModule {}

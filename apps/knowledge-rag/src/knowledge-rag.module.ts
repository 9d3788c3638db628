import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@inquest/service-shell/logger';
import { SERVICE_CONFIG, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import type { KnowledgeConfig } from './config';
import { readCorpus } from './corpus/read-corpus';
import { LivingKnowledge } from './documents/living-knowledge';
import { KnowledgeLookupController } from './knowledge-lookup.controller';
import { embeddingsEndpoint } from './search/embeddings';
import { fileCache, memoryCache } from './search/vector-cache';

const denseFrom = async (config: KnowledgeConfig) => {
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model, EMBEDDINGS_CACHE_DIR: dir } = config;
  if (baseUrl === undefined || model === undefined) return undefined;
  return {
    embed: embeddingsEndpoint({ baseUrl, model, apiKey: config.EMBEDDINGS_API_KEY }),
    cache: dir === undefined ? memoryCache() : await fileCache(dir, model),
    cosineMin: config.EMBEDDINGS_COSINE_MIN,
  };
};

/**
 * Runbooks are read at the start: a folder of them that cannot be used whole stops the process before it takes any work.
 * Further folders come beside them and change while the process runs.
 */
const knowledgeOf = async (config: KnowledgeConfig, logger: Logger): Promise<LivingKnowledge> => {
  const knowledge = new LivingKnowledge({
    runbooks: await readCorpus(config.KNOWLEDGE_DIR),
    listFile: config.KNOWLEDGE_LIST,
    logger,
    dense: await denseFrom(config),
  });
  await knowledge.refresh();
  return knowledge;
};

@Module({
  controllers: [KnowledgeLookupController],
  providers: [{ provide: LivingKnowledge, inject: [SERVICE_CONFIG, SHELL_LOGGER], useFactory: knowledgeOf }],
})
export class KnowledgeRagModule implements OnModuleDestroy {
  private readonly timer: NodeJS.Timeout;

  constructor(knowledge: LivingKnowledge, @Inject(SERVICE_CONFIG) config: KnowledgeConfig) {
    this.timer = setInterval(() => void knowledge.refresh(), config.KNOWLEDGE_REFRESH_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }
}

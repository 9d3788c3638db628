import { runService } from '@inquest/service-shell/run-service';
import { readKnowledgeConfig } from './config';
import { KnowledgeRagModule } from './knowledge-rag.module';

void runService({ name: 'knowledge-rag', module: KnowledgeRagModule, config: readKnowledgeConfig() });

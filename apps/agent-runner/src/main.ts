import { runService } from '@inquest/service-shell/run-service';
import { AgentRunnerModule } from './agent-runner.module';
import { readAgentRunnerConfig } from './config';

void runService({ name: 'agent-runner', module: AgentRunnerModule, config: readAgentRunnerConfig() });

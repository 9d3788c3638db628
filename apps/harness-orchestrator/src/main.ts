import { runService } from '@inquest/service-shell/run-service';
import { readOrchestratorConfig } from './config';
import { HarnessOrchestratorModule } from './harness-orchestrator.module';

void runService({
  name: 'harness-orchestrator',
  module: HarnessOrchestratorModule,
  config: readOrchestratorConfig(),
  // The harness acts on cancellations itself, in the order of the log; nothing of it is to be interrupted.
  interruptible: false,
});

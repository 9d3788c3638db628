import { runService } from '@inquest/service-shell/run-service';
import { JudgeHealth } from './canary/judge-health';
import { readSemanticGuardConfig } from './config';
import { SemanticGuardModule } from './semantic-guard.module';

void runService({
  name: 'semantic-guard',
  module: SemanticGuardModule,
  config: readSemanticGuardConfig(),
  announce: (app) => {
    const health = app.get(JudgeHealth);
    return () => ({ judge: health.announcement() });
  },
});

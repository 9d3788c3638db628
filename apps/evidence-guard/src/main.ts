import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { runService } from '@inquest/service-shell/run-service';
import { readEvidenceGuardConfig } from './config';
import { EvidenceGuardModule } from './evidence-guard.module';

void runService({
  name: 'evidence-guard',
  module: EvidenceGuardModule,
  config: readEvidenceGuardConfig(),
  announce: () => () => ({ ruleSet: RULE_SET }),
});
